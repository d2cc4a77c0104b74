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
  /** Submitted values of names that the form knows. */
  readonly values: Values;
  /** The request's headers, with names in lower case. `undefined` if unknown. */
  readonly headers: Readonly<Record<string, string | undefined>> | undefined;
  /** The sender's IP address; `undefined` if unknown. Plug-ins do not get addresses of private networks. */
  readonly address: string | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** An undeclared field only has a name. */
export type InputField = Pick<Field, 'name' | 'type'> &
  Partial<Pick<Field, 'label' | 'autocomplete' | 'value'>> & { readonly isUndeclared?: true };

export interface SignalContext {
  /** Sends requests within the time limit of the signal. A dry run sends none, and reports what the server would get. */
  readonly http: Http;
  env(name: string): string | undefined;
  /** Aborts when its time is up. */
  readonly signal: AbortSignal;
}

/** The evidence of a signal against a submission. */
export interface SignalScore {
  /** Above 0, and at most 1: the share of its weight that counts. */
  readonly score: number;
  /** In words for the owner, such as `3 links`: numbers, and names from the config. Never submitted values. */
  readonly why: string;
}

/**
 * A signal of the spam score. A form counts it if its `signals`, or those at the top, name it. Together, the
 * signals of plug-ins count at most half of `drop`.
 */
export interface SignalType<K extends Properties = Properties> {
  /** The key under `signals`. In mails, the message `signal_NAME` says what the signal found. */
  readonly name: string;
  /** A sentence for the owner: what it looks for, and which data it sends where. */
  readonly summary: string;
  /** The maximum of points, unless the config sets another. */
  readonly weight: number;
  /** The keys besides `weight`. */
  readonly keys?: K;
  /** An example map of its keys, for a signal that requires keys. Default: a number is enough. */
  readonly example?: string;
  /** The environment variables without which it finds nothing. */
  needs?(keys: Parsed<K>): readonly string[];
  /**
   * Evidence against a submission, within 1.5 s; `undefined` if there is none. A rejection, such as of
   * `http`, counts as no evidence, and is logged (`service_silent`).
   */
  score(keys: Parsed<K>, input: SignalInput, context: SignalContext): MaybePromise<SignalScore | undefined>;
}

/** Gives a signal the types of its keys. */
export const signal = <K extends Properties>(definition: SignalType<K>): SignalType =>
  definition as unknown as SignalType;
