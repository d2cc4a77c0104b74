import type { Files, SentFile } from './files.ts';
import type { PageContext } from './page_context.ts';
import type { Values } from './values.ts';

/** One accepted post to a form, on its way through the checks. */
export interface Submission {
  readonly values: Values;
  /** Under names of the form's file fields. */
  readonly files: Files<SentFile>;
  /** `undefined` when unknown, and in forms that do not ask for it. */
  readonly page: PageContext | undefined;
  /** When the relay received it, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When everything about it must have ended, in milliseconds since the epoch (D15). */
  readonly deadline: number;
  /**
   * Its sender's IP address, where the runtime vouches for one. Never logged; nobody but the captcha provider gets it
   * (D16).
   */
  readonly senderAddress: string | undefined;
  /** Of its request; names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whether its sender reads the answer on a page of the relay's own, where the form can be shown again (D75). */
  readonly endsOnPage: boolean;
  /** Names this submission in the log and in the `X-Request-Id` answer header. */
  readonly requestId: string;
}

/** One that passed them: what outputs may have of it. Of a file, `values` says what it is called and how large it is. */
export interface Checked extends Omit<Submission, 'files' | 'headers'> {
  readonly files: Files;
}
