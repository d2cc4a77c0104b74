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

/** Text before a field, or after the last one. */
export interface Note {
  /** Different from the name of every field. */
  readonly name: string;
  readonly text: LocalizedText;
  /** The index of the field that follows. */
  readonly before: number;
  readonly visible_when?: Condition | undefined;
}

/** A form as plug-ins read it: checked and compiled when the config loads, then immutable. The core sees more members (core_plugin.ts). */
export interface Form {
  readonly id: string;
  readonly title: LocalizedText | undefined;
  /** @internal The message of HTML fragments after a success. Default: the text of the language. */
  readonly confirmation: LocalizedText | undefined;
  /** @internal */ readonly submitLabel: LocalizedText | undefined;
  readonly fields: readonly Field[];
  /** @internal Every input with its own name in a submission: the fields, or the inputs of fields that have some. */
  readonly inputs: readonly Field[];
  readonly notes: readonly Note[];
  readonly outputs: readonly FormOutput[];
  /** The language of a response. Without a request, the form's first language. */
  readonly locale: (request: RelayRequest | undefined) => Locale;
  /** The objects that features provide in this form. */
  readonly provided: Registered<Provided>;
}

export interface FormInternals {
  readonly fieldChecks: readonly NonNullable<Hooks['check']>[];
  /** The outputs that check addresses during validation (`Transport.check`). */
  readonly checkingOutputs: readonly FormOutput[];
  readonly bodies: ReadonlyMap<string, BodyParser>;
  readonly services: Services;
  /** Inputs that the form's fields and outputs use. Others are ignored. */
  readonly usedNames: ReadonlySet<string>;
  readonly outputNames: ReadonlySet<string>;
  /** Whether fields are shown or required only while other fields have certain values. */
  readonly hasConditions: boolean;
  /** The fields that visitors do not fill in. */
  readonly derived: readonly Derived[];
  /** Whether submitted values may change: an input accepts several notations, or a field is derived. */
  readonly normalizes: boolean;
  /** The language of JSON, and of everything else that does not depend on a visitor. */
  readonly firstLocale: Locale;
  /** Whether the form accepts an input that its fields and features do not declare. `usedNames` then has it. */
  readonly takesUndeclared: ((name: string) => boolean) | undefined;
  /** Inputs that only features read. Outputs do not get them. */
  readonly reservedNames: ReadonlySet<string>;
  /** The values that browsers send in them, for `relay explain`. */
  readonly samples: ReadonlyMap<string, string>;
  /** For dry runs: the checks of browsers' submissions, and validation, in order. */
  readonly steps: readonly string[];
  readonly handler: Handler;
  /** The pipeline from `afterValidation` on, for submissions accepted elsewhere, such as one that its owner restores. */
  readonly accept: Handler;
  /** The pipeline from `aroundDelivery` on, for submissions that were accepted before. */
  readonly deliver: Handler;
  readonly renderers: readonly Renderer[];
  readonly skipsThrottle: readonly NonNullable<HookSeams['skipsThrottle']>[];
  readonly completeOutcome: readonly NonNullable<HookSeams['completeOutcome']>[];
  readonly prepareView: readonly NonNullable<Hooks['view']>[];
  readonly renderMarkup: readonly NonNullable<Hooks['markup']>[];
  /** The studio's cards of the form's features, in order. */
  readonly cards: readonly Card[];
  /** Close what the form's outputs and features opened. */
  readonly closers: readonly Closer[];
}

export type Closer = () => MaybePromise<void>;
