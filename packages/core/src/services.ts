import type { Mailbox } from '@form-relay/base/address';
import type { Finding } from '@form-relay/base/finding';
import type { Aws, HttpClient, ReadObject } from '@form-relay/base/http';
import type { ReadFile } from '@form-relay/base/text_file';
import type { UploadedFile } from '@form-relay/base/values';
import type { ProbeCall } from './outputs/delivery.ts';

export type * from '@form-relay/base/http';

/** Everything outside the process. The core and plug-ins use nothing else, so that tests can control time and failures. */
export interface Services {
  /** Plug-ins must store and count nothing outside these services. `delivering`: outputs deliver, so safeguards must run. */
  readonly isDryRun?: boolean | 'delivering';
  /** Milliseconds since the epoch. */
  now(): number;
  /** The value of a process environment variable, for `{{ env "NAME" }}`. */
  env(name: string): string | undefined;
  uuid(): string;
  /** Uniformly distributed, from 0 up to but not including 1. */
  random(): number;
  sleep(ms: number): Promise<void>;
  /** @internal Repeats the work without keeping the process alive. Returns a function that stops it. */
  repeat(ms: number, work: () => void): () => void;
  /** @internal The object that the platform binds to a name, such as a queue of Cloudflare. Absent if nothing is bound. */
  readonly binding?: ((name: string) => unknown) | undefined;
  /** @internal */ http: HttpClient;
  /** @internal */ smtp: SmtpClient;
  /** @internal */ ses: SesClient;
  /** @internal */ readFile: ReadFile;
  /** @internal */ readObject: ReadObject;
  /** @internal Loaded on the first call. `@form-relay/clients/aws` uses it to sign and send requests. */
  aws(): Promise<Aws>;
  log: Log;
  /** @internal Tests of connections, only for `relay doctor`. */
  readonly probes?: () => Promise<Probes>;
  /** @internal In dry runs: receives the readable content of what an output is about to send. */
  readonly show?: ((shown: ShownContent) => void) | undefined;
}

/** Test the connection of an output with these keys, its own and those of extensions. Deliver nothing. */
export type Probes = Readonly<
  Record<'http' | 'smtp' | 'ses', (keys: object, call: ProbeCall) => Promise<readonly Finding[]>>
>;

export interface ShownContent {
  readonly content?: ReadableContent;
  readonly pdf?: UploadedFile;
}

/** A delivery for people, as plain text. */
export interface ReadableContent {
  readonly title: string;
  readonly entries: readonly { readonly label: string; readonly value: string }[];
  readonly footer: readonly string[];
}

export interface Mail {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[] | undefined;
  /** Only in the envelope. */
  readonly bcc?: readonly Mailbox[] | undefined;
  readonly replyTo?: Mailbox | undefined;
  readonly subject: string;
  readonly text: string;
  /** The mail as HTML, in ASCII with character references. */
  readonly html?: string | undefined;
  readonly attachments?: readonly UploadedFile[] | undefined;
  /** Further headers, each on one line. */
  readonly headers?: ReadonlyMap<string, string> | undefined;
  /** Marks a mail to the visitor as automatic, so that programs do not reply to it (RFC 3834). */
  readonly isAutoReply?: boolean | undefined;
  /** `id@domain`, the same for every attempt, so that recipients can recognize duplicates (RFC 5322, 3.6.4). */
  readonly messageId: string;
  /** The `Date` header, in milliseconds since the epoch. */
  readonly date: number;
}

export interface SmtpMessage extends Mail {
  readonly host: string;
  readonly port: number;
  /**
   * `required`: never send without TLS. `opportunistic`, the default: use STARTTLS if offered. `implicit`:
   * TLS from the first byte. Port 465 is always implicit.
   */
  readonly tls?: 'opportunistic' | 'required' | 'implicit' | undefined;
  readonly credentials?: SmtpCredentials | undefined;
  /** For the whole dialogue, from connecting to the server's acceptance. */
  readonly timeoutMs: number;
}

/** A password or an access token. Neither is used in place of the other. */
export type SmtpCredentials =
  | {
      readonly username: string;
      readonly password: string;
      readonly mechanism?: 'PLAIN' | 'LOGIN' | undefined;
    }
  | { readonly username: string; readonly token: string };

/**
 * Resolves when the server accepted the mail for every recipient, maybe with its reply. Rejects with a
 * `ClientError` otherwise, also if it accepted the mail for only some. May resolve with a `MailAnswer`.
 */
export type SmtpClient = (message: SmtpMessage) => Promise<unknown>;

export interface MailAnswer {
  /** Which addresses were omitted, in words for the owner that do not contain them. */
  readonly warning?: string | undefined;
}

export interface SesMessage extends Mail {
  readonly timeoutMs: number;
}

/** Resolves when SES accepted the mail, with its response; rejects with a `ClientError` otherwise. */
export type SesClient = (message: SesMessage) => Promise<unknown>;

export type LogLevel = 'info' | 'warn' | 'error';

/** Writes one event. Fields never contain a submitted value, a token, a secret or a rendered header. */
export type Log = (level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>) => void;
