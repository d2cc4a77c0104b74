import { type ClientError, failed } from '../base/client_error.ts';
import type { Mail } from '../base/effects.ts';
import type { DeliveryWarning } from '../base/event.ts';
import type { Diagnosis } from './diagnosis.ts';

/**
 * A protocol: sends and shows messages, for the street, the dry run and the studio. `relay doctor` uses its `Probe`.
 * Each transport has a folder.
 */
export interface Transport<M extends AnyMessage, A = unknown> {
  /**
   * Delivers the message once. Resolves with the other side's answer; rejects with a `ClientError` if the other side did
   * not take the message, or may not have.
   */
  send(message: M, timeoutMs: number): Promise<A>;
  /** The exact bytes that `send` would write, for people to read. */
  show(message: M, mask: Mask): Promise<Shown>;
  /** The answer in a word or two, such as `200`. */
  answerInWords(answer: A): string;
  /** A warning about an answer that accepted the message. */
  warningOf?(answer: A): DeliveryWarning | undefined;
  /** Failures of the other side, for trying a form with them. */
  readonly faults: readonly Fault[];
}

/** Checks for `relay doctor` whether deliveries would succeed, without delivering anything. */
export interface Probe<T extends AnyTarget> {
  /** A key for the server of a target: each server is examined once. */
  serverOf(target: T): string;
  /** Resolves with all findings, expected failures included. */
  examine(target: T, timeoutMs: number): Promise<readonly Diagnosis[]>;
}

/** A job as an output writes it: plain data for one transport. */
export interface AnyMessage {
  /** The transport's name. */
  readonly via: string;
  /** The parts that were left out. */
  readonly warnings?: readonly DeliveryWarning[];
}

/** An output's destination, as far as it is known before there is a submission. */
export interface AnyTarget {
  readonly via: string;
  /** A name for people, such as `https://crm.example.com/leads`. Holds no credentials. */
  readonly name: string;
}

export interface Fault {
  readonly name: string;
  /** Reads after the output's name, such as "answers 500". */
  readonly says: string;
  /** It occurs when the time is up. */
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

/** The answer that pretended transports resolve with. Outputs do not judge it. */
export const pretendedAnswer = { status: 200, headers: {}, body: '' };

/** Hides secrets in what is shown. */
export interface Mask {
  text(text: string): string;
  /** A value under its name, such as a field's. */
  value(name: string, value: string): string;
  /** A header's value, which may be a signature. */
  header(name: string, value: string): string;
  /** `name=value`, separated by `&` or by line breaks. */
  pairs(text: string, separator: '&' | '\n'): string;
  /** JSON, with names and values. */
  json(text: string): string;
  /** HTML, where a value may be written with character references. */
  html(markup: string): string;
  /** A path and a query, which may hold keys. */
  path(path: string): string;
}

/** A message's words for people, without a service's markup. */
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
      /** The words in it for people, if there are any. */
      readonly says?: Said | undefined;
    }
  | {
      /** An entry of an archive. */
      readonly kind: 'entry';
      /** The archive, the paths in it, and the document. */
      readonly text: string;
      readonly says: Said;
    }
  | {
      readonly kind: 'mail';
      /** `smtp.example.com:587` or `Amazon SES`. */
      readonly server: string;
      /** `from` is empty for mails that must not bounce. */
      readonly envelope: { readonly from: string; readonly to: readonly string[] };
      /** Mailboxes as RFC 5322 writes them, before any encoding. */
      readonly from: string;
      readonly to: readonly string[];
      readonly cc: readonly string[];
      readonly bcc: readonly string[];
      readonly replyTo: string | undefined;
      readonly subject: string;
      /** The owner's headers. */
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly text: string;
      readonly html: string | undefined;
      /** Names and sizes of the attached files. */
      readonly attachments: readonly string[];
      /** The message with its headers, or the request to SES with the message in clear; files in words. */
      readonly source: string;
    };

/** A mail before its carrier is known, and so its sender. */
export interface MailContent extends Omit<Mail, 'from' | 'messageId'> {
  /** Default: the carrier's sender. */
  readonly from?: Mail['from'] | undefined;
  /** The beginning of `messageId`. */
  readonly id: string;
}
