import type { Values } from './values.ts';

/** One accepted post to a form, on its way through checks to the outputs. */
export interface Submission {
  readonly values: Values;
  /** When the relay received it, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When everything about it must have ended, in milliseconds since the epoch (D15). */
  readonly deadline: number;
  /**
   * Its sender's IP address, where the runtime vouches for one. Never logged; nobody but the captcha provider gets it
   * (D16).
   */
  readonly senderAddress: string | undefined;
  /** Names this submission in the log and in the `X-Request-Id` answer header. */
  readonly requestId: string;
}
