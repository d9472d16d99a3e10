import type { Json } from '../../../shared/domain/json.ts';

/**
 * A message as ProtoJSON writes it: a field with its default value is left out. Fields with explicit presence, whose
 * zero means something (scores), have to be added to what this returns.
 */
export const message = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isDefault(value)));

const isDefault = (value: unknown): boolean =>
  value === undefined || value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0);

/** `"1.250s"` */
export const duration = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(3)}s`;
