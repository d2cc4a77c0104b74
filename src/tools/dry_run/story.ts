import type { Outcome } from '../../outcome.ts';
import type { Payload } from '../../outputs/payload.ts';

/** All that happened to one submission, for its form's owner. Secrets are masked; what was submitted is not. */
export interface Story {
  /** The request id, as in the log and in the `X-Request-Id` header. */
  readonly id: string;
  readonly form: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly outcome: Outcome['kind'];
  /** What stands to be said after the outcome's name. */
  readonly says: string;
  /** What its sender was answered. */
  readonly answer: { readonly status: number; readonly contentType: string; readonly body: string };
  /** As sent, in the order sent. */
  readonly values: Payload;
  /** Names that were sent and that the config does not know: their values reach no output (D4). */
  readonly ignored: readonly string[];
  /** In the order of the street. */
  readonly checks: readonly CheckStory[];
  /** Empty when a check ended it. */
  readonly outputs: readonly OutputStory[];
  /** What is not as it would be outside a dry run, and variables that are not set here. */
  readonly notes: readonly string[];
}

export interface CheckStory {
  readonly check: 'honeypot' | 'min_fill' | 'captcha' | 'validation';
  readonly verdict: 'off' | 'passed' | 'ended' | 'not_reached';
  readonly says: string;
}

export type OutputStory = OutputSeen & (Delivered | Failed);

/** What an output got, and what it sent. */
interface OutputSeen {
  /** Its place in the form's `outputs`, from 0. */
  readonly index: number;
  readonly type: string;
  readonly target: string;
  readonly onError: 'fail' | 'continue';
  readonly payload: Payload;
  readonly warnings: readonly string[];
  /** What went over the wire or would have gone, in order. */
  readonly sent: readonly Sent[];
}

interface Delivered {
  readonly result: 'delivered';
}

interface Failed {
  readonly result: 'failed';
  readonly reason: string;
}

export type Sent =
  | {
      readonly kind: 'http';
      /** The request line, headers and body, as they go over the connection (inside TLS, where the URL says https). */
      readonly bytes: string;
      readonly answer: string;
    }
  | {
      readonly kind: 'mail';
      /** `smtp.example.com:587` or `Amazon SES`. */
      readonly server: string;
      readonly envelope: { readonly from: string; readonly to: readonly string[] };
      readonly replyTo: string | undefined;
      readonly subject: string;
      readonly text: string;
      /** The message with its headers, or the request that hands it to SES. */
      readonly source: string;
      readonly answer: string;
    };
