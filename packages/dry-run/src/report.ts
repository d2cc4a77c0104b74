/** The result of a submission, for the owner of its form. Secrets are redacted; submitted values are not. */
import type { Payload } from '@form-relay/core/submission';
import type { Shown } from './shown.ts';

export interface SubmissionReport {
  /** The request id, as in the log and in the `X-Request-Id` header. */
  readonly id: string;
  readonly form: string;
  readonly receivedAt: number;
  /** The kind of outcome. */
  readonly outcome: string;
  /** The text after the outcome's name. */
  readonly says: string;
  readonly answer: { readonly status: number; readonly contentType: string; readonly body: string };
  /** Set if the submission was held until a click on the link in its mail. */
  readonly isConfirmed?: true;
  /** The values in the order sent; names and sizes for files. */
  readonly values: Payload;
  /** The page with the form, if the form asks for it; empty if unknown. */
  readonly page?: { readonly url: string; readonly title: string };
  /** Names that the config does not know. Their values reach no output. */
  readonly ignored: readonly string[];
  /** In the order of the pipeline, followed by checks that are off. Empty for a confirmed submission, which passed them earlier. */
  readonly checks: readonly CheckReport[];
  /** Empty if a check ended the submission. */
  readonly outputs: readonly OutputReport[];
  /** Mails to the visitor, usually none. */
  readonly mails: readonly MailReport[];
  /** How the form queues deliveries, if it does. */
  readonly keep?: KeepReport;
  /** Differences from a relay in production: unset variables, unverified captchas. */
  readonly notes: readonly string[];
}

export interface CheckReport {
  /** The feature's name. */
  readonly check: string;
  readonly verdict: 'off' | 'passed' | 'ended' | 'not_reached';
  readonly says: string;
  /** Further findings, such as the signals of a spam score. */
  readonly signals?: readonly { readonly signal: string; readonly points: number; readonly why: string }[];
  readonly silent?: readonly { readonly signal: string; readonly why: string }[];
}

export interface OutputReport {
  readonly index: number;
  readonly type: string;
  readonly target: string;
  readonly onError: 'fail' | 'continue';
  /** Includes the PDF, like other files, by name and size. */
  readonly payload: Payload;
  readonly warnings: readonly string[];
  /** The messages in order, sent or only shown. */
  readonly sent: readonly Sent[];
  /** `kept`: the delivery is queued, so the output does not have it yet. */
  readonly result: 'delivered' | 'failed' | 'kept' | 'skipped';
  readonly reason?: string;
  /** The delivery was queued, before its first attempt or after a failure. */
  readonly isKept?: true;
}

/** A mail to the visitor. */
export interface MailReport {
  /** The form's key that requests it. */
  readonly key: string;
  readonly target: string;
  /** The messages in order, sent or only shown. */
  readonly sent: readonly Sent[];
  readonly result: 'sent' | 'failed' | 'withheld';
  readonly reason?: string;
}

export type Sent = Shown & { readonly answer: string };

export interface KeepReport {
  readonly what: 'failed' | 'always';
  readonly in: string;
  readonly forMs: number;
}
