import type { ClientError } from './client_error.ts';
import type { Condition } from './condition.ts';
import type { DoubtAction, Similar } from './doubt.ts';
import type { Files, SentFile, UploadedFile } from './files.ts';
import type { RelayResponse } from './http.ts';
import type { Payload } from './job.ts';
import type { Aside, KeptReason } from './kept.ts';
import type { FieldError, Outcome } from './outcome.ts';
import type { PageContext } from './page_context.ts';
import type { Trace } from './trace.ts';
import type { Values } from './values.ts';

/** `name`: what the visitor's client calls the field. */
export interface UnknownFile {
  readonly name: string;
  readonly bytes: number;
}

/**
 * Everything that happens to a submission, as codes and numbers, emitted by the street. Observers put words to it and
 * decide nothing.
 */
export type StreetEvent =
  | {
      readonly kind: 'received';
      readonly values: Values;
      readonly files: Files<SentFile>;
      readonly page: PageContext | undefined;
    }
  /** Files under names that the form does not know. No output gets them. */
  | { readonly kind: 'files_unknown'; readonly files: readonly UnknownFile[] }
  /** This request confirmed the address of a held submission. */
  | { readonly kind: 'confirmed'; readonly requestId: string }
  | { readonly kind: 'checked'; readonly passed: boolean; readonly evidence: CheckEvidence }
  /**
   * The output gets nothing: its `when` does not hold, or its `aside` leaves the submission to others (then without
   * `when`).
   */
  | (About & { readonly kind: 'delivery_skipped'; readonly when: Condition | undefined })
  /** Every output was skipped, so the submission is lost. */
  | { readonly kind: 'no_output_applies' }
  /**
   * An output's message is about to be sent; `attempt` counts from 1. `trace` is the delivery's, the same for every
   * try.
   */
  | (About & {
      readonly kind: 'delivery_tried';
      readonly attempt: number;
      readonly message: object;
      readonly trace: Trace;
    })
  /** The submission on paper, for an output that takes it along. */
  | (About & { readonly kind: 'pdf_made'; readonly file: UploadedFile })
  /** The delivery succeeded nevertheless. */
  | (About & { readonly kind: 'delivery_warned'; readonly warning: DeliveryWarning })
  /** Another try follows. */
  | (About & { readonly kind: 'delivery_retried'; readonly error: ClientError; readonly ms: number })
  | (About & {
      readonly kind: 'delivered';
      readonly payload: Payload;
      readonly answer: unknown;
      readonly attempts: number;
      readonly ms: number;
    })
  | (About & {
      readonly kind: 'delivery_failed';
      readonly payload: Payload;
      readonly error: DeliveryError;
      readonly onError: 'fail' | 'continue';
      readonly attempts: number;
      readonly ms: number;
      /** It is kept next, unless the store fails. */
      readonly isKept?: true;
    })
  /**
   * The delivery is kept for later. `why`: as in `delivery_failed`; `undefined` if it was not tried. `dueAt`: the
   * next try.
   */
  | (About & {
      readonly kind: 'delivery_kept';
      readonly why: DeliveryError | undefined;
      readonly dueAt: number;
    })
  /** Deliveries could not be kept. */
  | { readonly kind: 'keep_failed'; readonly outputs: readonly number[]; readonly error: DeliveryError }
  /** A try of a kept delivery ended; the delivery's own events come before. */
  | (About & { readonly kind: 'kept_tried'; readonly ending: KeptEnding })
  /** The visitor gets no mail, and nothing is wrong. */
  | (ToVisitor & { readonly kind: 'mail_withheld'; readonly reason: MailWithheld })
  /** A mail to the visitor is about to be sent; `attempt` counts from 1. */
  | (ToVisitor & { readonly kind: 'mail_tried'; readonly attempt: number; readonly message: object })
  /** Another try follows. */
  | (ToVisitor & { readonly kind: 'mail_retried'; readonly error: ClientError })
  | (ToVisitor & {
      readonly kind: 'mail_sent';
      readonly answer: unknown;
      readonly attempts: number;
      readonly ms: number;
    })
  | (ToVisitor & {
      readonly kind: 'mail_failed';
      readonly error: MailError;
      readonly attempts: number;
      readonly ms: number;
    })
  /** Happened on a page, and belongs to no submission. No other event follows. */
  | { readonly kind: 'counted'; readonly counts: PageCounts }
  /** A bug in the relay, or in an effect that was injected. */
  | { readonly kind: 'broken'; readonly error: unknown }
  | {
      readonly kind: 'answered';
      readonly outcome: Outcome;
      readonly answer: RelayResponse;
      readonly ms: number;
    };

/** What happened on pages: how often the form was seen, begun and sent, and each of its steps begun. */
export interface PageCounts {
  readonly views: number;
  readonly starts: number;
  readonly sends: number;
  readonly steps: readonly number[];
}

interface About {
  /** The output's place in the form's `outputs`, from 0. */
  readonly output: number;
  readonly type: string;
}

/** The result of a kept delivery's turn. */
export type KeptEnding =
  | { readonly kind: 'delivered'; readonly tries: number; readonly ageMs: number }
  | {
      readonly kind: 'put_off';
      readonly dueAt: number;
      readonly tries: number;
      readonly ageMs: number;
      /** `undefined` if it was only put off because many others are due. */
      readonly why: KeptReason | undefined;
      /** Not tried: its host is down for others, or the config does not know its form. */
      readonly isUntried?: true;
    }
  | {
      readonly kind: 'aside' | 'deleted';
      readonly aside: Aside;
      readonly tries: number;
      readonly ageMs: number;
      readonly why: KeptReason;
    };

interface ToVisitor {
  readonly mail: VisitorMailKey;
}

/** The form's key that sends visitors a mail. Such events may follow the answer. */
export type VisitorMailKey = 'confirmation_mail' | 'double_opt_in' | 'once' | 'resume';

/** Why a visitor gets no mail. */
export type MailWithheld =
  /** Every output failed, each with `on_error: continue`. */
  | 'taken_by_nobody'
  /** It would confirm a place, and there is none. */
  | 'on_waiting_list'
  /** The field is empty or has several values. */
  | 'no_address'
  /** The form's own outputs send there, or from there. */
  | 'own_address'
  /** The address of a program, a list or a mailbox that nobody reads (RFC 3834, 2). */
  | 'automatic_address'
  /** A mail there bounced hard, or its reader complained (docs/mail/bounces.md). */
  | 'blocked_address'
  /** The address got one within the last hour. */
  | 'address_had_one'
  | 'per_hour_reached'
  /** The process cannot remember more mails. */
  | 'no_room';

export type MailError = ClientError | 'internal_error';

/** Why an output did not take a submission. */
export type DeliveryError =
  | ClientError
  /** SPEC: Submission rules 6. */
  | 'unregistered_type'
  /** A bug; it has an event of its own. */
  | 'internal_error';

/** A problem of a delivery that succeeded. */
export type DeliveryWarning =
  | 'recipient_left_out'
  | 'reply_to_left_out'
  | 'lead_rejected'
  /** The answer is a 302 or 303 that says of no page that all is well. */
  | 'redirected_nowhere'
  /** It was delivered without its PDF. */
  | 'pdf_left_out'
  /** No font has some characters of its PDF. */
  | 'pdf_characters_replaced';

export type CheckName =
  | 'origin'
  | 'rate_limit'
  | 'proof'
  | 'doubt'
  | 'keys'
  | 'schedule'
  | 'links'
  | 'honeypot'
  | 'min_fill'
  | 'captcha'
  | 'validation'
  | 'scan'
  | 'places';

/** A check's evidence and result. Each feature explains its own (`explain`). */
export type CheckEvidence =
  | { readonly check: 'honeypot'; readonly code: 'decoy_empty' | 'decoy_filled'; readonly field: string }
  | {
      readonly check: 'min_fill';
      readonly code: 'waited' | 'too_fast';
      readonly filledMs: number;
      readonly leastMs: number;
    }
  | { readonly check: 'min_fill'; readonly code: 'token_expired'; readonly ttlMs: number }
  | {
      readonly check: 'min_fill';
      readonly code: 'token_missing' | 'token_unknown' | 'token_in_future' | 'no_secret';
    }
  | CaptchaEvidence
  | GateEvidence
  | KeysEvidence
  | ScheduleEvidence
  | PlacesEvidence
  | LinkEvidence
  | ProofEvidence
  | DoubtEvidence
  /** `hidden`: fields that `visible_when` left out. `unresolved`: computed fields that have no result. */
  | {
      readonly check: 'validation';
      readonly code: 'valid';
      readonly fields: number;
      readonly hidden: readonly string[];
      readonly unresolved: readonly string[] | undefined;
    }
  | {
      readonly check: 'validation';
      readonly code: 'invalid';
      readonly errors: readonly FieldError[];
      /** The field whose pattern took too long to match. */
      readonly slow: string | undefined;
    }
  | ScanEvidence
  /** There was no time to match the patterns of these fields. */
  | { readonly check: 'validation'; readonly code: 'undecided'; readonly fields: readonly string[] };

/** `client`: a pseudonym of the sender that changes daily. */
export type GateEvidence =
  /** `origin`: as the browser says; other clients can send anything. */
  | { readonly check: 'origin'; readonly code: 'unlisted'; readonly origin: string; readonly client?: string }
  /** `own`: the relay's own pages and others of its origin. */
  | { readonly check: 'origin'; readonly code: 'listed' | 'own' }
  /** The page has no address, or hides it. */
  | { readonly check: 'origin'; readonly code: 'unknown'; readonly unknown: 'null' | 'absent' }
  | { readonly check: 'rate_limit'; readonly code: 'within' }
  | {
      readonly check: 'rate_limit';
      readonly code: 'beyond';
      readonly most: number;
      readonly withinMs: number;
      readonly client: string;
    }
  | ClientUnknown;

/** `key`: the environment variable with the sender's key. `client`: as in `GateEvidence`. */
export type KeysEvidence = { readonly check: 'keys' } & (
  | { readonly code: 'known'; readonly key: string }
  | { readonly code: 'wrong'; readonly client: string | undefined }
  /** Without `key`, for those who send wrong keys. */
  | {
      readonly code: 'beyond';
      readonly most: number;
      readonly withinMs: number;
      readonly key?: string;
      readonly client?: string | undefined;
    }
  /** An earlier try under the same `Idempotency-Key` has this id, under which outputs get it. */
  | { readonly code: 'repeated'; readonly id: string }
  | { readonly code: 'in_progress' | 'other_body' }
  | { readonly code: 'unknown'; readonly reason: string }
);

/** `until`, `told`: the owner's words for a moment. */
export type ScheduleEvidence =
  | { readonly check: 'schedule'; readonly code: 'open'; readonly until: string | undefined }
  | { readonly check: 'schedule'; readonly code: 'not_open' | 'closed'; readonly told: string };

/** `full`: the options of which no place is left, as `field=value`; empty text for all places. */
export type PlacesEvidence = { readonly check: 'places' } & (
  | { readonly code: 'taken' }
  | { readonly code: 'waiting' | 'full'; readonly full: readonly string[] }
  /** `awaited`: another submission with the same value is still being delivered. */
  | { readonly code: 'again' | 'awaited' }
  | { readonly code: 'uncounted'; readonly reason: string }
);

/** Whether a form that needs a link came with one, and whether one that works once was used before. */
export type LinkEvidence = { readonly check: 'links' } & (
  | { readonly code: 'open' | 'missing' | 'expired' | 'used' | 'awaited' | 'nowhere' }
  | { readonly code: 'uncounted'; readonly reason: string }
);

/** Nothing was counted. */
export interface ClientUnknown {
  readonly check: 'rate_limit';
  readonly code: 'client_unknown';
  /**
   * The runtime does not give the peer's address, a proxy is missing from TRUSTED_PROXIES, or a trusted proxy does not
   * forward the client's.
   */
  readonly why: 'no_peer' | 'proxy_unlisted' | 'proxy_silent';
  /** The proxy's private network, in CIDR notation. */
  readonly network?: string;
}

export interface ProofEvidence {
  readonly check: 'proof';
  readonly code:
    | 'solved'
    /** A person without a script answered the question. */
    | 'answered'
    /** No proof was required. */
    | 'not_needed'
    /** None was sent, and the form allows that. */
    | 'without_script'
    | 'missing'
    | 'malformed'
    | 'forged'
    | 'wrong'
    | 'other_form'
    | 'expired'
    | 'used'
    | 'too_easy'
    /** FORM_TOKEN_SECRET is not set. */
    | 'no_secret'
    /** The captcha that was required in its place. */
    | 'captcha_solved'
    | 'captcha_failed';
  readonly captcha?: CaptchaEvidence;
}

export interface DoubtEvidence {
  readonly check: 'doubt';
  /** `solved`: it was challenged before, and now has the solution. */
  readonly code: 'clear' | 'doubted' | 'solved';
  readonly score: number;
  readonly action: DoubtAction | undefined;
  readonly signals: readonly { readonly signal: string; readonly points: number; readonly why: string }[];
  /** Earlier submissions that it is much like. */
  readonly similar?: Similar | undefined;
  /** Signals that failed to look. */
  readonly silent: readonly { readonly signal: string; readonly why: string }[];
}

/** The verdict of a virus scanner on all files. `scanner`: its address. */
export type ScanEvidence = { readonly check: 'scan'; readonly scanner: string } & (
  | {
      readonly code: 'scanned';
      readonly files: number;
      /** Fields with files too large for the scanner, which the form delivers unscanned. */
      readonly unseen: readonly string[];
      /** A dry run, which asks no scanner. */
      readonly isPretended: boolean;
    }
  | {
      readonly code: 'refused';
      /** `signature`: the scanner's name for it; `undefined` for a file that was too large. */
      readonly found: readonly { readonly field: string; readonly signature: string | undefined }[];
    }
  /** There is no verdict. `error`: a `ClientError` or an internal error. */
  | { readonly code: 'unscanned'; readonly error: unknown }
);

export interface CaptchaEvidence {
  readonly check: 'captcha';
  readonly code:
    | 'accepted'
    | 'token_missing'
    | 'refused'
    | 'score_too_low'
    | 'secret_refused'
    | 'no_score'
    | 'unverified'
    | 'internal_error';
  readonly provider: string;
  /** The submitted field that carries the token. */
  readonly field: string;
  /** The provider's error codes. */
  readonly codes?: readonly string[];
  readonly score?: number | undefined;
  /** Why it is `unverified`: a `ClientError` or an internal error. */
  readonly error?: unknown;
}

/** Starts to observe one submission. */
export type Observer = (submission: {
  readonly requestId: string;
  /** `undefined` when the config has no such form. */
  readonly formId: string | undefined;
  /** The form's name in the request. */
  readonly asked: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly trace: Trace;
  /** It was answered long ago: a kept delivery is tried (`kept_tried`), and no answer follows. */
  readonly isKept?: true;
}) => Listener;

export type Listener = (event: StreetEvent) => void;
