import type { IncomingMessage, ServerResponse } from 'node:http';

/** What goes wrong with one call. */
export type Fault =
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly retryAfterSeconds?: number;
      /** The page of a proxy in front of the service instead of its JSON. */
      readonly html?: boolean;
    }
  /** No answer until the client gives up. The tool is not called. */
  | { readonly kind: 'hang' }
  /** The tool is called, and the connection breaks in the middle of its answer. */
  | { readonly kind: 'cut' }
  /** The tool is called, and the connection breaks before its answer. */
  | { readonly kind: 'acceptThenDrop' };

/** Asked for each tool call, with the name of the tool. */
export type Faults = (tool: string) => Fault | undefined;

const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** @param answer makes the answer that the client would have got */
export async function misbehave(
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => Promise<{ readonly status: number; readonly body: string }>,
): Promise<void> {
  switch (fault.kind) {
    case 'http':
      return sendFailure(fault, response);
    case 'hang':
      return;
    case 'cut': {
      const { status, body } = await answer();
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.write(body.slice(0, body.length / 2), () => request.socket.destroy());
      return;
    }
    case 'acceptThenDrop':
      await answer();
      request.socket.destroy();
  }
}

function sendFailure({ status, retryAfterSeconds, html = false }: Fault & { kind: 'http' }, response: ServerResponse) {
  response.writeHead(status, {
    'content-type': html ? 'text/html; charset=UTF-8' : 'application/json; charset=UTF-8',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  const error = { code: status, message: 'The simulated service was told to fail.', status: STATUS_NAMES[status] };
  response.end(html ? `<!DOCTYPE html><title>Error ${status}</title><p>Try again later.` : JSON.stringify({ error }));
}
