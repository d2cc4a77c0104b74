import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { Values } from '@form-relay/base/values';
import type { Parsed, Properties } from '@form-relay/schema/kinds';
import type { Field } from './fields/field.ts';
import type { Http } from './http/bound_http.ts';

/** The parts of a submission that signals of the spam score read. */
export interface SignalInput {
  readonly formId: string;
  readonly fields: readonly InputField[];
  /** The form's languages, as BCP 47 tags. Empty if the config names none. */
  readonly languages: readonly string[];
  /** Submitted values under names that the form knows. */
  readonly values: Values;
  /** The request's headers; names in lower case. `undefined` if unknown. */
  readonly headers: Readonly<Record<string, string | undefined>> | undefined;
  /** The sender's IP address; `undefined` if unknown. Plug-ins get no address of a private network. */
  readonly address: string | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** An undeclared field has no more than a name. */
export type InputField = Pick<Field, 'name' | 'type'> &
  Partial<Pick<Field, 'label' | 'autocomplete' | 'value'>> & { readonly isUndeclared?: true };

export interface SignalContext {
  /** Sends requests within the time of the signal. A dry run sends none: it says what the server would get. */
  readonly http: Http;
  env(name: string): string | undefined;
  /** Aborts when its time is up. */
  readonly signal: AbortSignal;
}

/** A signal that speaks against a submission. */
export interface SignalScore {
  /** Above 0, and up to 1: how much of its weight counts. */
  readonly score: number;
  /** In the owner's words, such as `3 links`: numbers, and names from the config. Never what was submitted. */
  readonly why: string;
}

/**
 * A signal of the spam score, which a form counts where its `signals`, or those at the top, name it. Together, the signals of plug-ins count
 * at most half of `drop`.
 */
export interface SignalType<K extends Properties = Properties> {
  /** The key under `signals`. The message `signal_NAME` says in mails what it noticed. */
  readonly name: string;
  /** A sentence for its owner: what it looks for, and what it sends where. */
  readonly summary: string;
  /** How many points it counts at most, unless the config says so. */
  readonly weight: number;
  /** The keys besides `weight`. */
  readonly keys?: K;
  /** A map of its keys as an example, for a signal that cannot do without them. Default: a number will do. */
  readonly example?: string;
  /** The environment variables without which it finds nothing. */
  needs?(keys: Parsed<K>): readonly string[];
  /**
   * Evidence against a submission, within 1.5 s. `undefined`: there is none. A rejection, such as of `http`, counts nothing, and is logged
   * (`service_silent`).
   */
  score(keys: Parsed<K>, input: SignalInput, context: SignalContext): MaybePromise<SignalScore | undefined>;
}

/** Gives a signal the types of its keys. */
export const signal = <K extends Properties>(definition: SignalType<K>): SignalType =>
  definition as unknown as SignalType;
