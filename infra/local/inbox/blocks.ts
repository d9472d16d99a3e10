import { isRecord, textOf, type Json } from '../../../shared/domain/json.ts';

/** Limits of Block Kit: docs.slack.dev/reference/block-kit/blocks. */
const MAX_BLOCKS = 50;
const MAX_FIELDS = 10;
const MAX_FIELD_CHARS = 2_000;
const MAX_SECTION_CHARS = 3_000;
const MAX_HEADER_CHARS = 150;
const MAX_CONTEXT_ELEMENTS = 10;
const MAX_ACTIONS_ELEMENTS = 25;
const MAX_BUTTON_CHARS = 75;
const MAX_URL_CHARS = 3_000;
/** Not documented; found by measurement: github.com/slackapi/bolt-js/issues/2509. */
const MAX_TOTAL_CHARS = 13_200;

const KNOWN_TYPES = new Set(['section', 'header', 'context', 'actions', 'divider', 'image', 'rich_text', 'markdown']);

/** What Slack would complain about, in its words; empty for blocks that it takes. */
export function complaintsAbout(blocks: readonly Json[]): readonly string[] {
  if (blocks.length > MAX_BLOCKS) return [complaint(`no more than ${MAX_BLOCKS} items allowed`, '/blocks')];
  return blocks.flatMap((block, index) => aboutBlock(block, `/blocks/${index}`));
}

/** Whether the texts are too long together (`msg_blocks_too_long`). */
export const areTooLong = (blocks: readonly Json[]): boolean => charsIn(blocks) > MAX_TOTAL_CHARS;

const complaint = (what: string, pointer: string): string => `[ERROR] ${what} [json-pointer:${pointer}]`;

function aboutBlock(block: Json, pointer: string): readonly string[] {
  const type = textOf(block['type']) ?? '';
  if (!KNOWN_TYPES.has(type)) return [complaint(`unsupported type: ${type}`, `${pointer}/type`)];
  switch (type) {
    case 'section':
      return aboutSection(block, pointer);
    case 'header':
      return aboutText(block['text'], MAX_HEADER_CHARS, `${pointer}/text`, ['plain_text']);
    case 'context':
      return aboutElements(block['elements'], MAX_CONTEXT_ELEMENTS, `${pointer}/elements`, (element, at) =>
        element['type'] === 'image' ? [] : aboutText(element, MAX_SECTION_CHARS, at),
      );
    case 'actions':
      return aboutElements(block['elements'], MAX_ACTIONS_ELEMENTS, `${pointer}/elements`, aboutButton);
    default:
      return [];
  }
}

function aboutSection(block: Json, pointer: string): readonly string[] {
  const { text, fields, accessory } = block;
  if (text === undefined && fields === undefined) return [complaint('missing required field: text', pointer)];
  return [
    ...(text === undefined ? [] : aboutText(text, MAX_SECTION_CHARS, `${pointer}/text`)),
    ...(fields === undefined
      ? []
      : aboutElements(fields, MAX_FIELDS, `${pointer}/fields`, (field, at) => aboutText(field, MAX_FIELD_CHARS, at))),
    ...(isRecord(accessory) ? aboutButton(accessory, `${pointer}/accessory`) : []),
  ];
}

function aboutButton(element: Json, pointer: string): readonly string[] {
  if (element['type'] !== 'button') return [];
  const url = textOf(element['url']) ?? '';
  return [
    ...aboutText(element['text'], MAX_BUTTON_CHARS, `${pointer}/text`, ['plain_text']),
    ...(url.length > MAX_URL_CHARS ? [tooLong(MAX_URL_CHARS, `${pointer}/url`)] : []),
  ];
}

function aboutElements(
  elements: unknown,
  max: number,
  pointer: string,
  about: (element: Json, pointer: string) => readonly string[],
): readonly string[] {
  if (!Array.isArray(elements) || elements.length === 0) return [complaint('missing required items', pointer)];
  if (elements.length > max) return [complaint(`no more than ${max} items allowed`, pointer)];
  return elements.flatMap((element: unknown, index) =>
    isRecord(element) ? about(element, `${pointer}/${index}`) : [complaint('must be an object', `${pointer}/${index}`)],
  );
}

function aboutText(value: unknown, max: number, pointer: string, types = ['plain_text', 'mrkdwn']): readonly string[] {
  if (!isRecord(value)) return [complaint('missing required field: text', pointer)];
  if (!types.includes(textOf(value['type']) ?? '')) return [complaint('unsupported type', `${pointer}/type`)];
  const text = textOf(value['text']);
  if (text === undefined) return [complaint('must be more than 0 characters', `${pointer}/text`)];
  return text.length > max ? [tooLong(max, `${pointer}/text`)] : [];
}

const tooLong = (max: number, pointer: string): string => complaint(`must be less than ${max + 1} characters`, pointer);

function charsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + charsIn(item), 0);
  if (!isRecord(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (key === 'text' && typeof item === 'string' ? item.length : charsIn(item)),
    0,
  );
}
