/** The interface of an output type. The core's own types are in this folder; plug-ins add others (plugin.ts). */

import type { Condition } from '@form-relay/base/condition';
import type { PlacedTemplate } from '@form-relay/schema/diagnostics';
import { type Diagnostics, type Path, shown } from '@form-relay/schema/diagnostics';
import {
  discriminatedUnion,
  duration,
  isMap,
  type JsonSchema,
  jsonSchemaOf,
  name,
  number,
  object,
  oneOf,
  optional,
  optionalBlock,
  type Parsed,
  type Properties,
  record,
  required,
  type Schema,
  schema,
  template,
  text,
  withDefault,
} from '@form-relay/schema/kinds';
import { Template } from '@form-relay/schema/template';
import type { Field } from '../fields/field.ts';
import type { Locale } from '../messages/message.ts';
import type { OutputHooks, Plugin } from '../plugin.ts';
import type { Services } from '../services.ts';
import type { Submission } from '../submission.ts';
import { type PayloadPlan, planPayload, type Transport } from './delivery.ts';

export * from './delivery.ts';

const keyProblem = (key: string) =>
  key === '' || /[\0-\x1f\x7f-\x9f]/.test(key)
    ? 'an output key must be plain text of at least one character'
    : undefined;

const chosen = record(name(), keyProblem);
const everyField: Schema<'*' | ReadonlyMap<string, string>> = schema(
  () => ({ anyOf: [{ const: '*' }, jsonSchemaOf(chosen)] }),
  (value, at) => {
    if (value === '*') return '*';
    return isMap(value)
      ? chosen(value, at)
      : at.error(
          `found ${shown(value, at)}; expected a map of output keys to field names, or "*" for every field`,
        );
  },
);

/** The keys that every output type has (SPEC: Output, common keys). */
export const commonOutputKeys = {
  on_error: withDefault(
    'fail',
    'Effect of a failed delivery: visitors see an error (`fail`), or only the log records the failure (`continue`).',
    oneOf(['fail', 'continue']),
  ),
  mapping: optionalBlock(
    'The receiver’s names, and the field for each (`{mail: email}`); or `"*"`: every field under its own name. Without `mapping`, chats, archives and HTML mails get all fields, other outputs none.',
    everyField,
    { aliases: ['fields', 'map', 'mappings'] },
  ),
  static: optionalBlock(
    'Fixed values under the receiver’s names (`{source: website}`). Overrides `mapping`; empty values are left out.',
    record(template(), keyProblem),
  ),
  retries: withDefault(
    '1',
    'How many times to retry after a failed connection or a temporary error, within `timeout`.',
    number({ least: 0, most: 5, whole: true }),
  ),
  timeout: withDefault(
    '10s',
    'Time limit for a delivery with its retries. All deliveries of a submission end within 25 s.',
    duration({ leastMs: 1, mostMs: 25_000 }),
  ),
};

export type Common = Parsed<typeof commonOutputKeys>;

export interface OutputType<K extends Properties = Properties> {
  readonly type: string;
  /** The service's name, for people. Default: the type. */
  readonly title?: string;
  readonly summary: string;
  /** The keys of an example, for `relay init --output` and the studio: `{ url_env: 'CHAT_URL' }`. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Names in other products, in lower case. Diagnostics suggest this type for them. */
  readonly aliases?: readonly string[];
  /** The keys in addition to the common ones. */
  readonly keys: K;
  /** Reports mistakes that involve several keys; invalid keys are `undefined`. */
  problems?(output: Partial<Parsed<K>>, at: Diagnostics): void;
  /** @internal JSON Schema keywords in addition to the keys, such as which keys exclude each other. */
  readonly jsonSchema?: JsonSchema;
  /** @internal The fields that it reads in addition to `mapping` and templates, whether declared or not. */
  readsFields?(output: Parsed<K>): readonly FieldRead[];
  /** @internal Whether it sends something without `mapping` and `static`. Default: no. */
  sendsOfItself?(output: Parsed<K>): boolean;
  /** @internal Stores submissions for their owner, who reads them at `Transport.target`. */
  readonly isArchive?: true;
  /** @internal Creates what all its deliveries share, once, when the config loads. */
  open(output: Parsed<K> & Common, context: OutputContext): Transport;
}

export interface OutputContext {
  readonly services: Services;
  /** @internal */ readonly mailFromAddress: string | undefined;
  readonly form: OutputForm;
  /** @internal */ readonly encoding?: FileEncoding | undefined;
}

/** How archives store their files, such as encrypted. */
export interface FileEncoding {
  /** The path in the archive of a file that a visitor named. */
  path(path: string): string;
  encode(bytes: Uint8Array): Promise<Uint8Array>;
}

/** The form as its outputs describe it: in its first language, whichever one the visitor chose. */
export interface OutputForm {
  readonly id: string;
  readonly title: string | undefined;
  readonly fields: readonly Field[];
  readonly locale: Locale;
}

export const outputType = <K extends Properties>(definition: OutputType<K>): OutputType => definition;

export interface FieldRead {
  readonly name: string;
  readonly path: Path;
}

/** An output of a form as plug-ins read it. */
export interface FormOutput extends Common {
  readonly type: string;
  /** The destination for its owner, without credentials; `undefined` for an unregistered type. */
  readonly target: string | undefined;
  /** @internal The condition on which it gets a submission, if the condition reads a field. */
  readonly condition: Condition | undefined;
  readonly timeoutMs: number;
  /** @internal Whether `target` is an archive that its owner reads. */
  readonly isArchive: boolean;
}

export interface OutputInternals {
  readonly form: OutputForm;
  readonly plan: readonly PayloadPlan[];
  readonly templates: readonly PlacedTemplate[];
  /** `undefined` for an unregistered type, which responds with 500 whatever `on_error` says (SPEC: Submission rules 6). */
  readonly transport: Transport | undefined;
  /** Whether it gets a submission; `undefined` if it gets all. */
  readonly accepts: ((submission: Submission) => boolean) | undefined;
  readonly readsFields: readonly FieldRead[];
  readonly sendsOfItself: boolean;
  /** Gets submissions that a feature withholds from other outputs: `only` those, or `also` those. */
  readonly heldBack: 'only' | 'also' | undefined;
}

/** An output as written in the config, with the keys of its type and of extensions. */
export type Declared = Common &
  Parsed<Properties> & {
    readonly type: string;
    readonly templates: readonly PlacedTemplate[];
    readonly reads: readonly FieldRead[];
    readonly sendsOfItself: boolean;
    readonly isArchive: boolean;
    readonly open: ((context: OutputContext) => Transport) | undefined;
  };

/** Whether neither `mapping` nor `static` sends anything. */
export const isEmpty = ({ mapping, static: fixed }: Pick<Common, 'mapping' | 'static'>): boolean =>
  mapping !== '*' && !mapping?.size && !fixed?.size;

export function outputSchemas(plugins: readonly Plugin[]): Schema<Declared> {
  const extensions = plugins.flatMap((plugin) => plugin.outputExtensions ?? []);
  const types = plugins.flatMap((plugin) => plugin.outputs ?? []);
  const keysOf = (name?: string): Properties =>
    Object.assign(
      {},
      ...extensions
        .filter(({ types }) => !types || (name !== undefined && types.includes(name)))
        .map(({ keys }) => keys),
    );
  const kinds = new Map(types.map((type) => [type.type, outputSchema(type, keysOf(type.type))] as const));
  return discriminatedUnion<Declared>('type', kinds, {
    otherwise: unregistered(keysOf()),
    common: { ...commonOutputKeys, ...keysOf() },
    example: '{type: email, to: office@example.com, mapping: "*"}',
    named: types.map(({ type, aliases, summary }) => ({ name: type, aliases, summary })),
    noun: 'output',
  });
}

/** @param more The keys that extensions add to outputs of this type. */
function outputSchema(type: OutputType, more: Properties): Schema<Declared> {
  const keys = { type: required('The output type.', text()), ...commonOutputKeys, ...more, ...type.keys };
  const read = object(keys, undefined, (output, at) => type.problems?.(output, at));
  return schema(
    () => ({ ...jsonSchemaOf(read), ...type.jsonSchema }),
    (value, at) => {
      const output = read(value, at);
      return output && withFacts(output, type);
    },
    { properties: keys },
  );
}

/** @param type Absent if it is unregistered. */
const withFacts = (
  output: Common & Parsed<Properties> & { readonly type: string },
  type?: OutputType,
): Declared =>
  Object.assign(output, {
    templates: templatesIn(output),
    reads: type?.readsFields?.(output) ?? [],
    sendsOfItself: type ? (type.sendsOfItself?.(output) ?? false) : true,
    isArchive: type?.isArchive ?? false,
    open: type && ((context: OutputContext) => type.open(output, context)),
  });

/** Text is a template, as in every output; an unregistered type may have any other value. */
const templated: Schema<unknown> = (value, at) => (typeof value === 'string' ? template()(value, at) : value);
const templatedKeys = new Map<string, Schema<unknown>>([
  ...['subject', 'to', 'username', 'password'].map((key) => [key, templated] as const),
  ['headers', (value, at) => (isMap(value) ? record(templated)(value, at) : value)],
]);

/** An unregistered type loads without checks of its other keys, and each submission gets a 500. */
const unregistered =
  (more: Properties): Schema<Declared> =>
  (value, at) => {
    const own = Object.keys(value as object).map((key) => [
      key,
      optional('', templatedKeys.get(key) ?? ((one) => one)),
    ]);
    const known = { ...commonOutputKeys, ...more, type: required('', text()) };
    const output = object({ ...(Object.fromEntries(own) as Properties), ...known })(value, at);
    return output && withFacts(output);
  };

/** Templates are values of an output's keys, or are in lists and maps below them. */
function templatesIn(value: unknown, path: Path = []): readonly PlacedTemplate[] {
  if (value instanceof Template) return [{ path, template: value }];
  const inside = (entries: Iterable<readonly [string | number, unknown]>) =>
    [...entries].flatMap(([step, one]) => templatesIn(one, [...path, step]));
  if (value instanceof Map || Array.isArray(value)) return inside(value.entries());
  return isMap(value) && Object.getPrototypeOf(value) === Object.prototype
    ? inside(Object.entries(value))
    : [];
}

const defaultTimeoutMs = 10_000;

/** Compiles one output of a form whose other outputs and fields are known. `used` is what plug-ins made of their keys. */
export function compileOutput(
  { open, reads, ...output }: Declared,
  declared: readonly string[],
  used: readonly OutputHooks[],
  context: OutputContext,
): FormOutput {
  const conditions = used.flatMap(({ accepts }) => accepts ?? []);
  const [first, ...others] = conditions;
  const encoding = used.find((one) => one.encoding)?.encoding;
  const innermost = open?.(encoding ? { ...context, encoding } : context);
  const transport =
    innermost &&
    used.reduceRight((inner, { wrapTransport }) => wrapTransport?.(inner, context) ?? inner, innermost);
  return {
    // A key precedes the spread, as in fields/compile.ts.
    heldBack: used.find(({ heldBack }) => heldBack)?.heldBack,
    ...output,
    form: context.form,
    plan: planPayload(output, declared),
    transport,
    target: transport?.target,
    condition: used.find(({ acceptsWhen }) => acceptsWhen)?.acceptsWhen,
    accepts: others.length === 0 ? first : (submission) => conditions.every((takes) => takes(submission)),
    timeoutMs: output.timeout ?? defaultTimeoutMs,
    sendsOfItself: output.sendsOfItself || used.some((one) => one.sendsOfItself),
    readsFields: [...reads, ...used.flatMap(({ alsoReads = [] }) => alsoReads)],
  };
}
