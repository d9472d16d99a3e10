/** A tool call that the service will not carry out; the message is what the client gets to read. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export const badRequest = (message: string): Refusal =>
  new Refusal(`com.google.apps.framework.request.BadRequestException: ${message}`);

export const notFound = (resource: string): Refusal => new Refusal(`NOT_FOUND: Resource '${resource}' was not found.`);

export const alreadyExists = (message: string): Refusal => new Refusal(`ALREADY_EXISTS: ${message}`);
