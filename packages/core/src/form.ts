import type { Condition } from '@form-relay/base/condition';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { LocalizedText } from '@form-relay/schema/scalars';
import type { Derived } from './fields/derived.ts';
import type { Field } from './fields/field.ts';
import type { RelayRequest } from './http/request.ts';
import type { HookSeams } from './internal.ts';
import type { Locale } from './messages/message.ts';
import type { FormOutput } from './outputs/output.ts';
import type { BodyParser, Card, Hooks, Provided, Registered, Renderer } from './plugin.ts';
import type { Services } from './services.ts';
import type { Handler } from './submission.ts';

/** Text before a field, or after the last. */
export interface Note {
  /** Unlike that of any field. */
  readonly name: string;
  readonly text: LocalizedText;
  /** The index of the field. */
  readonly before: number;
  readonly visible_when?: Condition | undefined;
}

/** A form as plug-ins read it: checked and compiled when the config loads, and never changed. The core has more of it (core_plugin.ts). */
export interface Form {
  readonly id: string;
  readonly title: LocalizedText | undefined;
  /** @internal The message of HTML fragments after a success. Default: the text of the language. */
  readonly confirmation: LocalizedText | undefined;
  /** @internal */ readonly submitLabel: LocalizedText | undefined;
  readonly fields: readonly Field[];
  /** @internal Everything submitted under a name of its own: the fields, or the inputs of fields that have some. */
  readonly inputs: readonly Field[];
  readonly notes: readonly Note[];
  readonly outputs: readonly FormOutput[];
  /** The language of an answer. `undefined`: the form's first one. */
  readonly locale: (request: RelayRequest | undefined) => Locale;
  /** The objects that features provide in it. */
  readonly provided: Registered<Provided>;
}

export interface FormInternals {
  readonly fieldChecks: readonly NonNullable<Hooks['check']>[];
  /** The outputs that check addresses in validation (`Transport.check`). */
  readonly checkingOutputs: readonly FormOutput[];
  readonly bodies: ReadonlyMap<string, BodyParser>;
  readonly services: Services;
  /** Inputs that the form's fields and outputs use. Others are ignored. */
  readonly usedNames: ReadonlySet<string>;
  readonly outputNames: ReadonlySet<string>;
  /** Whether fields are shown or required only while others hold some values. */
  readonly hasConditions: boolean;
  /** The fields that visitors do not fill in. */
  readonly derived: readonly Derived[];
  /** Whether values are not used as they are sent: an input understands several notations, or a field is derived. */
  readonly normalizes: boolean;
  /** The language of JSON, and of all that does not depend on a visitor. */
  readonly firstLocale: Locale;
  /** Whether it takes an input that neither its fields nor features declare: then `usedNames` has it. */
  readonly takesUndeclared: ((name: string) => boolean) | undefined;
  /** Inputs that only features read. No output gets them. */
  readonly reservedNames: ReadonlySet<string>;
  /** The values that browsers send in them, for `relay explain`. */
  readonly samples: ReadonlyMap<string, string>;
  /** The checks of browsers' submissions, and validation, in order: for dry runs. */
  readonly steps: readonly string[];
  readonly handler: Handler;
  /** The pipeline from `afterValidation` on, for submissions that were accepted elsewhere: one that its owner restores. */
  readonly accept: Handler;
  /** The pipeline from `aroundDelivery` on, for submissions that were accepted before. */
  readonly deliver: Handler;
  readonly renderers: readonly Renderer[];
  readonly skipsThrottle: readonly NonNullable<HookSeams['skipsThrottle']>[];
  readonly completeOutcome: readonly NonNullable<HookSeams['completeOutcome']>[];
  readonly prepareView: readonly NonNullable<Hooks['view']>[];
  readonly renderMarkup: readonly NonNullable<Hooks['markup']>[];
  /** The studio's cards of its features, in their order. */
  readonly cards: readonly Card[];
  /** Close what its outputs and features opened. */
  readonly closers: readonly Closer[];
}

export type Closer = () => MaybePromise<void>;
