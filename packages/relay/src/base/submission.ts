import type { Files, SentFile } from './files.ts';
import type { PageContext } from './page_context.ts';
import type { Values } from './values.ts';

/** An accepted post to a form, before its checks. */
export interface Submission {
  readonly values: Values;
  /** By the names of the form's file fields. */
  readonly files: Files<SentFile>;
  /** `undefined` if unknown, and in forms without `page`. */
  readonly page: PageContext | undefined;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The end of all its timeouts, in milliseconds since the epoch. */
  readonly deadline: number;
  /** The client's IP address, if the runtime vouches for it. Never logged; only the captcha provider gets it. */
  readonly senderAddress: string | undefined;
  /** The request's; names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whether the answer is a page of the relay's own, where the form can be shown again. */
  readonly endsOnPage: boolean;
  /** Names this submission in the log and in the `X-Request-Id` answer header. */
  readonly requestId: string;
  /** The number of relays through which it came here. Default: none. */
  readonly hops?: number | undefined;
}

/** A submission that passed all checks, for outputs. `values` holds each file's name and size. */
export interface Checked extends Omit<Submission, 'files' | 'headers'> {
  readonly files: Files;
  /** The link that filled in the form, in forms that take links; empty where there was none. */
  readonly link?: string | undefined;
}
