/** Where a log line belongs in Cloud Trace. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId?: string;
  readonly sampled: boolean;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads W3C's `traceparent`, else Google's older `X-Cloud-Trace-Context`. Undefined when there is neither. */
export function traceOf(headers: Headers): Trace | undefined {
  return w3c(headers['traceparent']) ?? google(headers['x-cloud-trace-context']);
}

/** `00-<trace>-<span>-<flags>`: https://www.w3.org/TR/trace-context/ */
function w3c(header: unknown): Trace | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId, flags = ''] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** `<trace>/<span, decimal>;o=<1 when sampled>`: https://cloud.google.com/trace/docs/trace-context */
function google(header: unknown): Trace | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, span, option] = /^([0-9a-f]{32})(?:\/(\d{1,20}))?(?:;o=([01]))?$/.exec(header) ?? [];
  if (traceId === undefined) return undefined;
  const spanId = span === undefined ? {} : { spanId: BigInt(span).toString(16).padStart(16, '0') };
  return { traceId, ...spanId, sampled: option === '1' };
}
