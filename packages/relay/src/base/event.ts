import type { ClientError } from './client_error.ts';
import type { Condition } from './condition.ts';
import type { DoubtAction } from './doubt.ts';
import type { Files, SentFile } from './files.ts';
import type { RelayResponse } from './http.ts';
import type { Payload } from './job.ts';
import type { Aside, KeptReason } from './kept.ts';
import type { FieldError, Outcome } from './outcome.ts';
import type { PageContext } from './page_context.ts';
import type { Trace } from './trace.ts';
import type { Values } from './values.ts';

/**
 * What happens to a submission on its way: codes and numbers, told by the street as it happens. Observers put words to
 * them and decide nothing.
 */
export type StreetEvent =
  | {
      readonly kind: 'received';
      readonly values: Values;
      readonly files: Files<SentFile>;
      readonly page: PageContext | undefined;
    }
  /** It was held back until its address was confirmed, which this request did. */
  | { readonly kind: 'confirmed'; readonly requestId: string }
  | { readonly kind: 'checked'; readonly passed: boolean; readonly evidence: CheckEvidence }
  /** An output's `when` does not hold, or its `aside` has it leave this to others (then without `when`): it gets nothing. */
  | (About & { readonly kind: 'delivery_skipped'; readonly when: Condition | undefined })
  /** Every output was skipped: nobody has the submission. */
  | { readonly kind: 'no_output_applies' }
  /**
   * An output's message is about to be sent, for the `attempt`th time, from 1. `message` is its transport's. `trace`: the
   * delivery's, the same at each try.
   */
  | (About & {
      readonly kind: 'delivery_tried';
      readonly attempt: number;
      readonly message: object;
      readonly trace: Trace;
    })
  /** Something that did not keep the delivery from succeeding. */
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
      /** It is kept next, if the store takes it. */
      readonly isKept?: true;
    })
  /**
   * What the output owes is kept, and delivered later (D69). `why`: as in `delivery_failed`; `undefined` where it was not
   * tried. `dueAt`: when it is tried next, where the relay does that by itself.
   */
  | (About & {
      readonly kind: 'delivery_kept';
      readonly why: DeliveryError | undefined;
      readonly dueAt: number | undefined;
    })
  /** What outputs owe could not be kept. */
  | { readonly kind: 'keep_failed'; readonly outputs: readonly number[]; readonly error: DeliveryError }
  /** How one of them ended that was kept, for now: the delivery's own events come before. */
  | (About & { readonly kind: 'kept_tried'; readonly ending: KeptEnding })
  /** Whoever filled in the form gets no mail, and nothing is wrong. */
  | (ToVisitor & { readonly kind: 'mail_withheld'; readonly reason: MailWithheld })
  /** A mail to the visitor is about to be sent, for the `attempt`th time, from 1. */
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
  /** A bug in the relay, or in an effect that was injected. */
  | { readonly kind: 'broken'; readonly error: unknown }
  | {
      readonly kind: 'answered';
      readonly outcome: Outcome;
      readonly answer: RelayResponse;
      readonly ms: number;
    };

interface About {
  /** The output's place in the form's `outputs`, from 0. */
  readonly output: number;
  readonly type: string;
}

/** What became of a kept delivery when it was its turn. */
export type KeptEnding =
  | { readonly kind: 'delivered'; readonly tries: number; readonly ageMs: number }
  | {
      readonly kind: 'put_off';
      readonly dueAt: number;
      readonly tries: number;
      readonly ageMs: number;
      /** `undefined` where it has no turn yet only because many others have. */
      readonly why: KeptReason | undefined;
      /** Nobody was asked: its host is down for others, or the config does not know its form. */
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

/** The key of a form that has its visitors get a mail. The events of such a mail may follow the answer. */
export type VisitorMailKey = 'confirmation_mail' | 'double_opt_in';

/** Why a visitor gets no mail. */
export type MailWithheld =
  /** Every output failed, each with `on_error: continue`. */
  | 'taken_by_nobody'
  /** The field is empty, or holds more than one. */
  | 'no_address'
  /** The form's own outputs send there, or from there. */
  | 'own_address'
  /** A program's, a list's, or one that nobody reads (RFC 3834, 2). */
  | 'automatic_address'
  /** Within the last hour. */
  | 'address_had_one'
  | 'per_hour_reached'
  /** The process remembers as many mails as it can. */
  | 'no_room';

export type MailError = ClientError | 'internal_error';

/** Why an output did not take a submission. */
export type DeliveryError =
  | ClientError
  /** SPEC: Submission rules 6. */
  | 'unregistered_type'
  /** A bug; an event of its own says more. */
  | 'internal_error';

/** Something about a delivery that its owner should know, though it went out. */
export type DeliveryWarning =
  | 'recipient_left_out'
  | 'reply_to_left_out'
  | 'lead_rejected'
  /** The answer is a redirect that the relay does not follow (D14). */
  | 'redirected_nowhere'
  | 'redirected_away'
  | 'redirected_too_often';

export type CheckName =
  | 'origin'
  | 'rate_limit'
  | 'proof'
  | 'doubt'
  | 'honeypot'
  | 'min_fill'
  | 'captcha'
  | 'validation'
  | 'scan';

/** What a check found, and what it made of it. `features/explain_evidence.ts` says it in words. */
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
  | ProofEvidence
  | DoubtEvidence
  /** `hidden`: fields that `visible_when` left out. */
  | {
      readonly check: 'validation';
      readonly code: 'valid';
      readonly fields: number;
      readonly hidden: readonly string[];
    }
  | {
      readonly check: 'validation';
      readonly code: 'invalid';
      readonly errors: readonly FieldError[];
      /** The field whose pattern took too long to match (D63). */
      readonly slow: string | undefined;
    }
  | ScanEvidence
  /** There was no time to match the patterns of these fields. */
  | { readonly check: 'validation'; readonly code: 'undecided'; readonly fields: readonly string[] };

/** `client`: a name for who sends it that changes daily, and is no address. */
export type GateEvidence =
  /** `origin`: as the browser says; a visitor's program may say anything. */
  | { readonly check: 'origin'; readonly code: 'unlisted'; readonly origin: string; readonly client?: string }
  /** `own`: the relay's own pages, or others of its origin. */
  | { readonly check: 'origin'; readonly code: 'listed' | 'own' }
  /** A page without an address, or one that does not say it. */
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

/** Nothing was counted. */
export interface ClientUnknown {
  readonly check: 'rate_limit';
  readonly code: 'client_unknown';
  /** The runtime does not say who connected; a proxy is not among TRUSTED_PROXIES; or it is, and does not say for whom. */
  readonly why: 'no_peer' | 'proxy_unlisted' | 'proxy_silent';
  /** The private network in which the proxy is, in CIDR notation. */
  readonly network?: string;
}

export interface ProofEvidence {
  readonly check: 'proof';
  readonly code:
    | 'solved'
    /** By a person, who was asked and has no script. */
    | 'answered'
    /** Nobody asked for one. */
    | 'not_needed'
    /** There is none, and the form takes that. */
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
    /** The captcha that was asked for. */
    | 'captcha_solved'
    | 'captcha_failed';
  readonly captcha?: CaptchaEvidence;
}

export interface DoubtEvidence {
  readonly check: 'doubt';
  /** `solved`: it was challenged before, and comes with what was asked. */
  readonly code: 'clear' | 'doubted' | 'solved';
  readonly score: number;
  /** What becomes of it. */
  readonly action: DoubtAction | undefined;
  readonly signals: readonly { readonly signal: string; readonly points: number; readonly why: string }[];
  /** Those that could not look. */
  readonly silent: readonly { readonly signal: string; readonly why: string }[];
}

/** Of a virus scanner, asked about each file. `scanner`: its address. */
export type ScanEvidence = { readonly check: 'scan'; readonly scanner: string } & (
  | {
      readonly code: 'scanned';
      readonly files: number;
      /** Fields with files that were too large for the scanner, which the form delivers unseen. */
      readonly unseen: readonly string[];
      /** Nobody was asked: this is a dry run. */
      readonly isPretended: boolean;
    }
  | {
      readonly code: 'refused';
      /** What the scanner calls what it found; `undefined` for a file that was too large for it. */
      readonly found: readonly { readonly field: string; readonly signature: string | undefined }[];
    }
  /** There is no verdict. `error`: why, a `ClientError`; or an `internal_error`. */
  | { readonly code: 'unscanned'; readonly error: unknown }
);

export interface CaptchaEvidence {
  readonly check: 'captcha';
  readonly code:
    | 'accepted'
    | 'token_missing'
    | 'refused'
    | 'score_too_low'
    /** The owner must act on these: there is no verdict, or none that counts. */
    | 'secret_refused'
    | 'no_score'
    | 'unverified'
    | 'internal_error';
  readonly provider: string;
  /** The submitted field that carries the token. */
  readonly field: string;
  /** The provider's own. */
  readonly codes?: readonly string[];
  readonly score?: number | undefined;
  /** Why it is `unverified`, a `ClientError`; or an `internal_error`. */
  readonly error?: unknown;
}

/** Begins to listen to one submission. */
export type Observer = (submission: {
  readonly requestId: string;
  /** `undefined` when the config has no such form. */
  readonly formId: string | undefined;
  /** The form's name, as the request has it. */
  readonly asked: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly trace: Trace;
  /** It was answered long ago: what was kept of it has a turn (`kept_tried`), and no answer follows. */
  readonly isKept?: true;
}) => Listener;

export type Listener = (event: StreetEvent) => void;
