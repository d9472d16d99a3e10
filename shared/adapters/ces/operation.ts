import { countOf, isRecord, textOf, type Json } from '../../domain/json.ts';
import type { StartedOperation } from '../../ports.ts';

/**
 * Where a google.longrunning.Operation of `run_evaluation` names its run: by the type's name, the field's number in
 * google/cloud/ces/v1beta.
 */
const RUN_FIELD: Readonly<Record<string, number>> = {
  RunEvaluationOperationMetadata: 2,
  RunEvaluationResponse: 1,
};

/** Reads an Operation; `name` is its full resource name. */
export function readOperation(name: string, operation: Json): StartedOperation {
  const evaluationRun = runIn(operation['metadata']) ?? runIn(operation['response']);
  const failure = operation['done'] === true ? failureIn(operation['error']) : undefined;
  return {
    operation: name,
    ...(evaluationRun === undefined ? {} : { evaluationRun }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** `error` is a google.rpc.Status. */
const failureIn = (error: unknown): string | undefined =>
  isRecord(error) ? `${textOf(error['message']) ?? 'no reason given'} (code ${countOf(error['code'])})` : undefined;

/** Usually the fields stand in the object itself. Google's reference also shows a packed `Any`: {typeUrl, value}. */
function runIn(any: unknown): string | undefined {
  if (!isRecord(any)) return undefined;
  const plain = textOf(any['evaluationRun']);
  if (plain !== undefined) return plain;
  const type = (textOf(any['typeUrl']) ?? textOf(any['@type']) ?? '').split(/[./]/).at(-1) ?? '';
  const value = textOf(any['value']);
  const field = Object.hasOwn(RUN_FIELD, type) ? RUN_FIELD[type] : undefined;
  return value === undefined || field === undefined ? undefined : stringField(Buffer.from(value, 'base64'), field);
}

/** The last value of a string field in a protocol buffer message, or undefined when it is absent or the bytes are cut. */
function stringField(bytes: Buffer, wanted: number): string | undefined {
  let at = 0;
  let found: string | undefined;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; at < bytes.length; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const wireType = tag % 8;
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else if (wireType === 2) {
      const end = varint() + at;
      // `end` is NaN or beyond the end when the bytes are cut.
      if (!(end <= bytes.length)) return undefined;
      if (Math.floor(tag / 8) === wanted) found = textOf(bytes.toString('utf8', at, end));
      at = end;
    } else return undefined;
  }
  return found;
}
