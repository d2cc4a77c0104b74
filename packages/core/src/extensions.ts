import type { Diagnostics } from '@form-relay/schema/diagnostics';
import type { Parsed, Properties } from '@form-relay/schema/kinds';
import type { Field } from './fields/field.ts';
import type { Message } from './messages/message.ts';
import type { Common, FileEncoding, OutputContext, Transport } from './outputs/output.ts';
import type { Provided, Registered } from './plugin.ts';
import type { Submission } from './submission.ts';

/** Keys of all fields or of some types, and their behaviour. */
export interface FieldExtension<K extends Properties = Properties> {
  readonly name: string;
  readonly keys: K;
  /** Keys of each option of a field, for types with a list of `options`: written as `{value: …, label: …}`. */
  readonly optionKeys?: Properties;
  /** The field types that have the keys. Default: all. */
  readonly types?: readonly string[];
  /** Changes the kinds of keys that the type has, such as `options` whose choices get an extra key. */
  changeKeys?(keys: Properties): Properties;
  /** Compiles the keys of a field, once. `undefined` if the field does not use them. */
  configure(field: Field & Partial<Parsed<K>>, at: Diagnostics): FieldHooks | undefined;
}

/** @internal The attributes of all extensions are combined. */
export interface FieldHooks extends Partial<Pick<Field, 'normalize' | 'attributes'>> {}
/** Members that replace the field's own. Only `check` runs in addition to the type's checks, after them. */
export interface FieldHooks
  extends Partial<Pick<Field, 'canonical' | 'store' | 'words' | 'samples' | 'control'>> {
  /** The first mistake in non-empty values that passed the checks of the field's type. */
  readonly check?: (values: readonly string[], submission: Submission) => Message | undefined;
}

export const fieldExtension = <K extends Properties>(definition: FieldExtension<K>): FieldExtension =>
  definition;

/** Keys of all outputs or of some types, and their behaviour. */
export interface OutputExtension<K extends Properties = Properties> {
  readonly name: string;
  readonly keys: K;
  /** The output types that have the keys. Default: all. */
  readonly types?: readonly string[];
  /** Compiles the keys of an output, once. `undefined` if the output does not use them. */
  configure(context: OutputConfig<K>, at: Diagnostics): OutputHooks | undefined;
}

export interface OutputConfig<K extends Properties = Properties> {
  readonly formId: string;
  readonly type: string;
  /** The output's keys, including the common ones; invalid values are `undefined`. */
  readonly output: Partial<Parsed<K> & Common>;
  readonly fields: readonly Field[];
  readonly provided: Registered<Provided>;
}

export interface OutputHooks {
  readonly accepts?: (submission: Submission) => boolean;
  /** Wraps the transport, once; the wrapper is called for every attempt. */
  readonly wrapTransport?: (inner: Transport, context: OutputContext) => Transport;
  /** For archives (`folder` and `s3`): encodes each file, documents included, before it is stored. */
  readonly encoding?: FileEncoding;
  /** @internal Whether the output sends something without `mapping` and `static`. */
  readonly sendsOfItself?: boolean;
}

export const outputExtension = <K extends Properties>(definition: OutputExtension<K>): OutputExtension =>
  definition;
