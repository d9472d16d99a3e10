import type { Json } from '../../../shared/domain/json.ts';

/** What has arrived. */
export type InboxMessage = SlackMessage | EmailMessage;

export interface SlackMessage {
  readonly kind: 'slack';
  readonly receivedAt: Date;
  readonly channel: string;
  /** Slack's id of a message in a channel: seconds and microseconds. */
  readonly ts: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly threadTs?: string;
  readonly metadata?: Json;
}

export interface EmailMessage {
  readonly kind: 'email';
  readonly receivedAt: Date;
  /** The envelope: where it came from and whom it was delivered to. */
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** With its angle brackets. */
  readonly messageId?: string;
  /** By lower-case name; of repeated headers the last. */
  readonly headers: Readonly<Record<string, string>>;
}
