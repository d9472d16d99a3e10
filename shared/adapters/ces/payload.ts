import { isRecord, type Json } from '../../domain/json.ts';
import { TransientError } from '../../errors.ts';
import { leadingCode, Refusal } from './failure.ts';
import { excerptOf } from './text.ts';
import type { AnswerHead } from './wire.ts';

/** The output message in a tool's result: structured, or as a text that holds the JSON of it. */
export function payloadOf(result: Json, answer: AnswerHead | undefined): Json {
  const text = firstText(result['content']);
  if (result['isError'] === true) {
    throw new Refusal(text === '' ? 'the tool failed without a word' : text, { code: leadingCode(text), answer });
  }
  if (isRecord(result['structuredContent'])) return result['structuredContent'];
  const payload = parsed(text);
  if (!isRecord(payload)) throw new TransientError(`answered with something that is not JSON: ${excerptOf(text)}`);
  return payload;
}

function firstText(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = parts.map((part) => (isRecord(part) ? part['text'] : undefined));
  return texts.find((text) => typeof text === 'string') ?? '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
