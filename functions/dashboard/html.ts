const MARKUP: unique symbol = Symbol('markup');

/** Markup that is safe to send. Only `html` makes it: the key is a symbol, which no document from outside can have. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What a template takes. Text and numbers are escaped, undefined draws nothing. */
export type Part = string | number | Html | readonly Html[] | undefined;

/** A piece of HTML or SVG. Every value is escaped for text and for quoted attributes, so attributes are always quoted. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  [MARKUP]: strings.map((text, index) => text + draw(parts[index])).join(''),
});

/** A piece of a stylesheet. It takes no values: what is escaped for HTML is not for CSS. */
export const css = (strings: TemplateStringsArray): Html => ({ [MARKUP]: strings.join('') });

export const markupOf = (piece: Html): string => piece[MARKUP];

function draw(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  return isList(part) ? part.map(markupOf).join('') : markupOf(part);
}

const isList = (part: Html | readonly Html[]): part is readonly Html[] => Array.isArray(part);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
