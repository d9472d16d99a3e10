import { Readable } from 'node:stream';

import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

import { isRecord, textOf } from '../../domain/json.ts';

export interface SmtpServer extends SMTPConnectionOptions {
  readonly auth?: { readonly user: string; readonly pass: string };
}

export interface Mail {
  readonly from: string;
  readonly to: string;
  /** The whole message, headers and body. */
  readonly content: Buffer;
}

export type SmtpAnswer =
  /** The server has taken the responsibility for the message. */
  { readonly kind: 'accepted'; readonly response: string } | SmtpFailure;

export interface SmtpFailure {
  readonly kind: 'failed';
  /** Whether any of the message had gone out: from then on only an answer tells whether it was accepted. */
  readonly handedOver: boolean;
  /** nodemailer's, for example ESOCKET. */
  readonly code: string;
  /** The system's, for example ECONNREFUSED. */
  readonly cause?: string;
  /** The server's reply, where it gave one: 550 and its text. */
  readonly responseCode?: number;
  readonly response?: string;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Undefined when it is no `smtp://` or `smtps://` URL with a host. */
export function smtpServerOf(smtpUrl: string): SmtpServer | undefined {
  const url = URL.parse(smtpUrl);
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') return undefined;
  const { auth, tls, ...options } = parseConnectionUrl(smtpUrl);
  return {
    ...options,
    // A server on this machine has no certificate that anybody could check, and needs none.
    tls: { rejectUnauthorized: !LOOPBACK.has(url.hostname), ...tls },
    ...(auth === undefined ? {} : { auth: { user: auth.user, pass: auth.pass } }),
  };
}

/**
 * Hands one message to the server, within `timeoutMs`. nodemailer's transports report a lost connection in the same way
 * before and after the message went out, so its connection is used directly: it takes a message only once the server
 * has asked for it, which is when `content` is read.
 */
export function transmit(server: SmtpServer, mail: Mail, timeoutMs: number): Promise<SmtpAnswer> {
  const { auth, ...options } = server;
  return new Promise((resolve) => {
    let handedOver = false;
    const connection = new SMTPConnection({
      ...options,
      logger: false,
      debug: false,
      dnsTimeout: timeoutMs,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    });
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      resolve(failureOf(error, handedOver));
      connection.close();
    };
    // A server that answers each command in time, but slowly, is bounded here.
    const timer = setTimeout(() => fail({ code: 'ETIMEDOUT' }), timeoutMs);
    const content = Readable.from(
      (function* () {
        handedOver = true;
        yield mail.content;
      })(),
    );
    const send = (): void =>
      connection.send({ from: mail.from, to: [mail.to], size: mail.content.length }, content, (error, info) => {
        if (error !== null && error !== undefined) return fail(error);
        clearTimeout(timer);
        resolve({ kind: 'accepted', response: info.response });
        connection.quit();
      });

    connection.on('error', fail);
    connection.once('end', () => fail({ code: 'ECONNECTION' }));
    connection.connect((error) => {
      if (error !== undefined) return fail(error);
      // A server that offers no login takes mail without one, or says in its answer to it that it does not.
      if (auth === undefined || !connection.allowsAuth) return send();
      connection.login({ ...auth }, (refusal) => (refusal === null ? send() : fail(refusal)));
    });
  });
}

function failureOf(error: unknown, handedOver: boolean): SmtpFailure {
  const facts = isRecord(error) ? error : {};
  const cause = textOf(facts['originalCode']);
  const response = textOf(facts['response']);
  const responseCode = facts['responseCode'];
  return {
    kind: 'failed',
    handedOver,
    code: textOf(facts['code']) ?? 'unknown error',
    ...(cause === undefined ? {} : { cause }),
    ...(typeof responseCode === 'number' ? { responseCode } : {}),
    ...(response === undefined ? {} : { response }),
  };
}
