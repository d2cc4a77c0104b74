import type { HtmlValue } from './html/html.ts';
import type { RelayResponse } from './http/request.ts';
import type { Locale, LocalizedText, Message } from './messages/message.ts';
import type { LogLevel } from './services.ts';

/** A field that failed validation, and how its visitor can correct it. */
export interface FieldError extends Message {
  readonly field: string;
  /** The index of the wrong one among the non-empty values; `undefined` if the error is about all or none. */
  readonly at?: number | undefined;
  /** The wrong value's place in a JSON body (RFC 6901). Default: the field's. */
  readonly pointer?: string | undefined;
}

/** How a submission ends. It has everything that the answer needs; features create their own. */
export interface Outcome {
  /** For the log and metrics: `delivered`, `dropped`, `invalid`, … */
  readonly kind: string;
  readonly status: number;
  /** The error for the visitor. Absent: the submission is answered as a success. */
  readonly message?: Message;
  /** Replaces the form's confirmation after a success. */
  readonly says?: LocalizedText | Message;
  /** A code that proves to the sender that it was accepted. */
  readonly receipt?: string;
  /** A success that has not sent the form: a script that sent it keeps it in the page. */
  readonly keepsForm?: true;
  /** Fragments render the form again with the message, as for a challenge. */
  readonly showsForm?: true;
  /** The owner's words below the message, which may hold links: `[words](https://…)`. */
  readonly ownersText?: LocalizedText | undefined;
  /** The form cannot be filled in now: where it is shown first, the message stands in its place. */
  readonly isClosed?: true;
  /** Invalid fields; the form is rendered again with them. */
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The finished answer, in place of the one that follows from all else, but for `headers`. */
  readonly answer?: RelayResponse;
  /** More members of a JSON answer, such as a receipt. */
  readonly json?: object;
  /** More markup of a fragment, below the message. */
  readonly html?: HtmlValue;
  /** The reason for the owner's log. Holds no submitted value. */
  readonly why?: string;
  /** It may come in floods: the log gets one line a second, with the number of requests since the line before. */
  readonly isFrequent?: true;
  readonly level?: LogLevel;
  /** The check that ended it. */
  readonly by?: string;
  /** What the check found, for metrics. Default: `kind`. */
  readonly code?: string;
}

export const delivered: Outcome = { kind: 'delivered', status: 200 };
export const undelivered: Outcome = {
  kind: 'undelivered',
  status: 500,
  message: { code: 'undelivered' },
  level: 'error',
};

/** A bug in the relay or in a plug-in. */
export const internalError: Outcome = {
  kind: 'internal_error',
  status: 500,
  message: { code: 'internal_error' },
  level: 'error',
};

/** A bot, which gets the same answer as a delivered submission. */
export const dropped = (by: string, why: string, code?: string): Outcome => ({
  kind: 'dropped',
  status: 200,
  by,
  why,
  ...(code !== undefined && { code }),
});

/** The log calls all malformed requests the same, and has the message as the reason. */
export const refused = (status: number, code: string, params?: Message['params']): Outcome => ({
  kind: status === 400 ? 'bad_request' : code,
  status,
  message: { code, params },
});

/** With the reason for rejecting a malformed request, which is what its sender reads. */
export function explained(outcome: Outcome, { translate }: Pick<Locale, 'translate'>): Outcome {
  const { kind, message, why } = outcome;
  if (kind !== 'bad_request' || !message || why !== undefined) return outcome;
  // The names in a body are its sender's own words.
  const params =
    message.params?.pointer === undefined ? message.params : { ...message.params, pointer: '/…' };
  return { ...outcome, why: translate({ code: message.code, params }) };
}

/** Whether the sender will not send it again, so that what was counted for it stays counted. */
export const isFinal = ({ kind, message }: Outcome): boolean =>
  message === undefined || kind === 'captcha_failed';
