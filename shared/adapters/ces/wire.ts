/** What one HTTP answer said apart from its body. */
export interface AnswerHead {
  readonly status: number;
  /** From `Retry-After`. */
  readonly retryAfterMs: number | undefined;
}

/**
 * One tool call, or one connecting, as the fetch chain sees it. The SDK stands between the two and has no place for
 * any of this, so it travels beside the SDK's requests.
 */
export interface Exchange {
  readonly signal: AbortSignal;
  /** Project of the app that the call is about. */
  readonly project: string | undefined;
  /** Set by the chain: the head of the last answer, which the SDK does not pass on. */
  answer?: AnswerHead;
  /** Set by the chain: tokens that were sent, and that an answer must not carry further. */
  readonly secrets: string[];
}

export interface WireRequest {
  readonly url: string | URL;
  readonly headers: Headers;
  /** One JSON-RPC message. */
  readonly body: string;
  readonly signal: AbortSignal;
  readonly exchange: Exchange;
}

/** One link of the chain: takes a request, and hands it to the next link as often as it needs. */
export type Send = (request: WireRequest) => Promise<Response>;
