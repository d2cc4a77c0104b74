import { type ClientError, failed } from '../base/client_error.ts';
import type { Diagnosis } from '../base/diagnosis.ts';
import type { Mail } from '../base/effects.ts';
import type { DeliveryWarning } from '../base/event.ts';

/**
 * A protocol, whole: how a message is sent, and how it is shown. The dry run and the playground ask it as the street
 * does; `relay doctor` asks its `Probe`. One folder a transport.
 */
export interface Transport<M extends AnyMessage, A = unknown> {
  /**
   * Delivers the message, once. Resolves with what the other side answered; rejects with a `ClientError` when it did not
   * take the message, or may not have.
   */
  send(message: M, timeoutMs: number): Promise<A>;
  /** The exact bytes that `send` would write, for people to read. */
  show(message: M, mask: Mask): Promise<Shown>;
  /** The answer in a word or two, such as `200`. */
  answerInWords(answer: A): string;
  /** What the owner should know of an answer, though it accepted the message. Default: nothing. */
  warningOf?(answer: A): DeliveryWarning | undefined;
  /** How the other side may fail, to try out what a form does then. */
  readonly faults: readonly Fault[];
}

/** How `relay doctor` sees whether deliveries would succeed. It looks, and hands nothing over (D41). */
export interface Probe<T extends AnyTarget> {
  /** Targets for which it is the same lead to one server, which is looked at once. */
  serverOf(target: T): string;
  /** What was found, good and bad. What can be expected to go wrong is found, too. */
  examine(target: T, timeoutMs: number): Promise<readonly Diagnosis[]>;
}

/** What an output makes of a job: plain data for one transport. */
export interface AnyMessage {
  /** The transport's name. */
  readonly via: string;
  /** What was left out of it. */
  readonly warnings?: readonly DeliveryWarning[];
}

/** Where an output delivers: what can be known of the other side before there is a submission. */
export interface AnyTarget {
  readonly via: string;
  /** For people, such as `https://crm.example.com/leads`. Holds no credentials. */
  readonly name: string;
}

export interface Fault {
  readonly name: string;
  /** Reads after the output's name, such as "answers 500". */
  readonly says: string;
  /** It comes when all the time is up. */
  readonly isSlow?: true;
  error(timeoutMs: number): ClientError;
}

export const refused: Fault = {
  name: 'refused',
  says: 'refuses the connection',
  error: () =>
    failed(
      'nobody_listens',
      { call: 'connect', codes: ['ECONNREFUSED'] },
      { retryAfterMs: 0, isUnsent: true },
    ),
};

export const slow: Fault = {
  name: 'slow',
  says: 'does not answer in time',
  isSlow: true,
  error: (timeoutMs) => failed('timed_out', { timeoutMs }),
};

/** As if the other side took it: what transports that only pretend resolve with. No verdict is asked of it. */
export const pretendedAnswer = { status: 200, headers: {}, body: '' };

/** Hides secrets in what is shown. */
export interface Mask {
  text(text: string): string;
  /** A value under its name: a header's, a field's. */
  value(name: string, value: string): string;
  /** `name=value`, separated by `&` or by line breaks. */
  pairs(text: string, separator: '&' | '\n'): string;
  /** JSON, with names and values. */
  json(text: string): string;
  /** HTML, where a value may be written with character references. */
  html(markup: string): string;
  /** A path and a query, which may hold keys. */
  path(path: string): string;
}

/** What a message says to people, whatever markup a service wants around it. */
export interface Said {
  readonly title: string;
  readonly entries: readonly { readonly label: string; readonly value: string }[];
  readonly footer: readonly string[];
}

export type Shown =
  | {
      readonly kind: 'http';
      /** The request line, headers and body, as they go over the connection (inside TLS, where the URL says https). */
      readonly bytes: string;
      /** What people read of it, where it is written for people. */
      readonly says?: Said | undefined;
    }
  | {
      /** Of an archive. */
      readonly kind: 'entry';
      /** The archive, the paths in it, and the document. */
      readonly text: string;
      readonly says: Said;
    }
  | {
      readonly kind: 'mail';
      /** `smtp.example.com:587` or `Amazon SES`. */
      readonly server: string;
      /** `from` is empty where nothing is to be sent back. */
      readonly envelope: { readonly from: string; readonly to: readonly string[] };
      /** Mailboxes as RFC 5322 writes them, before any encoding. */
      readonly from: string;
      readonly to: readonly string[];
      readonly cc: readonly string[];
      readonly bcc: readonly string[];
      readonly replyTo: string | undefined;
      readonly subject: string;
      /** The owner's own. */
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly text: string;
      readonly html: string | undefined;
      /** Of each file that comes with it, name and size. */
      readonly attachments: readonly string[];
      /** The message with its headers, or the request that hands it to SES, in which it is in clear; files in words. */
      readonly source: string;
    };

/** A mail before it is known who carries it, and so from whom it is. */
export interface MailContent extends Omit<Mail, 'from' | 'messageId'> {
  /** Default: whoever the carrier sends for. */
  readonly from?: Mail['from'] | undefined;
  /** What `messageId` begins with. */
  readonly id: string;
}
