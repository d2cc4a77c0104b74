import * as v from 'valibot';
import type { SimilarCount } from '../base/doubt.ts';
import type { DeliveryWarning } from '../base/event.ts';
import type { Job } from '../base/job.ts';
import type { Field } from '../fields/field.ts';
import type { Schema } from '../schema/any_schema.ts';
import { condition } from '../schema/condition.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { report, wrong } from '../schema/issue.ts';
import { missingOrNoMap, optionalBlock, required, section, withDefault } from '../schema/keys.ts';
import {
  choice,
  duration,
  isMap,
  mapOf,
  name,
  number,
  ownTemplate,
  template,
  text,
} from '../schema/kinds.ts';
import { type Scope, Template } from '../schema/template/render.ts';
import type { Message, Target } from '../transports/index.ts';
import type { MailContent } from '../transports/transport.ts';
import type { PayloadPlan } from './payload.ts';

const outputKeyProblem = (key: string) =>
  key === '' || /[\0-\x1f\x7f-\x9f]/.test(key) ? finding('output_key_malformed', []) : undefined;

const everyField = v.literal('*', wrong('not_a_mapping'));
const chosenFields = mapOf(name(), outputKeyProblem);

/** The keys that every output type has (SPEC: Output, common keys). */
export const commonKeys = {
  when: optionalBlock(
    'Sends only the submissions in which a field holds some value: `{field: kind, is: business}`. Of others the output ' +
      'learns nothing. A field that was not shown counts as empty.',
    condition(),
  ),
  aside: withDefault(
    'never',
    'Which submissions it gets where `spam.doubt` sets some aside: `never` those, `only` those, or `also` those (docs/doubt.md).',
    choice(['never', 'only', 'also']),
  ),
  waiting: withDefault(
    'never',
    'Which submissions it gets where `when_full: waiting` puts some on a waiting list: `never` those, `only` those, or `also` those (docs/places.md).',
    choice(['never', 'only', 'also']),
  ),
  on_error: withDefault(
    'fail',
    'Whether a failed delivery fails the submission (`fail`) or is only logged (`continue`).',
    choice(['fail', 'continue']),
  ),
  mapping: optionalBlock(
    'Output keys and the fields whose values they get; or `"*"`: every declared field under its own name. ' +
      'Without it, no field is sent, but chats say all of them.',
    v.pipe(
      v.lazy(
        (input): v.GenericSchema<unknown, '*' | ReadonlyMap<string, string>> =>
          isMap(input) ? chosenFields : everyField,
      ),
      v.metadata({
        jsonSchema: {
          title: 'map, or `"*"`',
          anyOf: [{ const: '*' }, { type: 'object', additionalProperties: { type: ['string', 'number'] } }],
        },
      }),
    ),
  ),
  static: optionalBlock(
    'Output keys with fixed values. They overwrite mapped ones; empty values are left out.',
    mapOf(template(), outputKeyProblem),
  ),
  timeout: withDefault(
    '10s',
    'How long a delivery may take, with its retries. All deliveries of a submission together end within 25 s.',
    duration({ leastMs: 1, mostMs: 25_000 }),
  ),
  retries: withDefault(
    '1',
    'How many more times a delivery is tried when another try may succeed: the connection failed, or the other side ' +
      'said "later". All tries end within `timeout`.',
    number({ least: 0, most: 5, whole: true }),
  ),
};

type Keys = v.ObjectEntries;
export type CommonOutput = v.InferOutput<v.ObjectSchema<typeof commonKeys, undefined>>;
type Parsed<K extends Keys> = CommonOutput & v.InferOutput<v.ObjectSchema<K, undefined>>;
type Configured<K extends Keys, P> = Parsed<K> & {
  /** The form that it belongs to. There once the config has loaded. */
  readonly form: FormAbout;
  readonly plan: readonly PayloadPlan[];
  readonly prepared: P;
};

/** The form as outputs describe it: in its first language, whatever the visitor chose. */
export interface FormAbout {
  readonly id: string;
  readonly title: string | undefined;
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly pageLabel: string;
  /** The label beside what speaks against a tagged submission. */
  readonly doubtLabel: string;
  readonly waitingLabel: string;
  /** Puts the mark of a tagged submission into words, and which earlier ones it is like. */
  readonly doubtWords: (mark: string, similar?: SimilarCount) => string;
  /** Precedes the subject of tagged mails. Empty: nothing. */
  readonly tagSubject: string;
  readonly fields: readonly Field[];
  /** There for forms with an output that has `pdf`. */
  readonly paper?: Paper;
}

/** What the PDFs of a form have beside its fields. */
export interface Paper {
  /** Paths, as the config names them. */
  readonly fonts: readonly string[];
  /** IANA; default: UTC. */
  readonly zone: string | undefined;
  readonly receivedLabel: string;
  /** Tells in a mail that there is no PDF. */
  readonly failedWords: string;
}

/** A declared output: what it makes of a submission. It sends nothing itself. */
export interface Output extends CommonOutput {
  readonly type: string;
  /** The receiver; `undefined` for an unregistered type. */
  readonly target: Target | undefined;
  /** Every template of the output, with its place, for the fields that it reads and for warnings. */
  readonly templates: readonly PlacedTemplate[];
  /** Whether it sends something without `mapping` and `static`. */
  readonly sendsOfItself: boolean;
  /** Whether it delivers the files of a field, not only their names and sizes. */
  readonly takesFile: (field: string) => boolean;
  /** Whether each submission goes along as a PDF. */
  readonly pdf?: boolean;
  /** The fields that its PDF shows. `undefined`: as an HTML mail shows them. */
  readonly showsField: ((field: string) => boolean) | undefined;
  /** Fields that it reads beside `mapping` and templates, with their places. */
  readonly readsFields: readonly PlacedName[];
  /** Warnings about an output that loads. */
  readonly warnings: readonly Finding[];
  /**
   * Makes the message for a job, for one of the transports. Throws a `ClientError` where nothing can be: `to` rendered
   * to no address. `undefined` for an unregistered type: that is a 500 whatever `on_error` says (SPEC: Submission
   * rules 6).
   */
  readonly message: ((job: Job, scope: Scope) => Message) | undefined;
  /** The same for a mail that is not made of the job, where this output sends mails. Throws a `ClientError`. */
  readonly carry: ((mail: MailContent, scope: Scope) => Message) | undefined;
  /** Warnings about an answer that accepted the message. Throws a `ClientError` when the answer means that it did not. */
  readonly verdict: ((answer: unknown) => readonly DeliveryWarning[]) | undefined;
}

export interface OutputType {
  readonly type: string;
  readonly summary: string;
  /** The keys that this type has beyond the common ones, for docs/reference.md. */
  readonly keys: Keys;
  readonly schema: v.GenericSchema<unknown, Output>;
  readonly jsonSchema: object;
  /** Makes the message of an output of this type, as its own `message` does. For a copy with some keys changed. */
  readonly message: (output: Output, job: Job, scope: Scope) => Message;
}

interface Definition<K extends Keys, A, P> {
  readonly type: string;
  readonly summary: string;
  readonly keys: K;
  /** The part of `problems` that JSON Schema can express, for editors. */
  readonly jsonSchema?: object;
  readonly problems?: (output: Partial<Parsed<K>>) => readonly Finding[];
  readonly target: (output: Parsed<K>) => Target;
  /** The parts that all of its messages share, made once, when the config loads. */
  readonly prepare?: (output: Parsed<K>) => P;
  readonly message: (output: Configured<K, P>, job: Job, scope: Scope) => Message;
  readonly carry?: (output: Configured<K, P>, mail: MailContent, scope: Scope) => Message;
  readonly verdict?: (output: Configured<K, P>, answer: A) => readonly DeliveryWarning[];
  /** Whether this output has a verdict. Default: yes. */
  readonly judges?: (output: Parsed<K>) => boolean;
  readonly warnings?: (output: Parsed<K>) => readonly Finding[];
  /** Default: no, since `mapping` and `static` make all of it. */
  readonly sendsOfItself?: (output: Parsed<K>) => boolean;
  readonly readsFields?: (output: Parsed<K>) => readonly PlacedName[];
  readonly takesFile?: (output: Parsed<K>, field: string) => boolean;
  readonly showsField?: (output: Parsed<K>, field: string) => boolean;
}

/** An output type is one such definition: its keys, where it delivers, and what it makes of a job. */
export function outputType<K extends Keys, A, P = undefined>(definition: Definition<K, A, P>): OutputType {
  const { type, summary, keys, problems, target, prepare, message, carry, verdict, warnings } = definition;
  const { judges, sendsOfItself, readsFields, takesFile, showsField, jsonSchema = {} } = definition;
  const schema = v.pipe(
    section({ type: required('The output type.', v.literal(type)), ...commonKeys, ...keys }),
    v.rawCheck(({ dataset, addIssue }) => {
      const written = dataset.value as Partial<Parsed<K>> | undefined;
      for (const problem of (isMap(written) && problems?.(written as Partial<Parsed<K>>)) || []) {
        addIssue(report(problem));
      }
    }),
    v.transform((parsed): Output => {
      const output = parsed as unknown as Configured<K, P>;
      return Object.assign(output, {
        type,
        target: target(output),
        prepared: prepare?.(output),
        templates: templatesIn(output),
        warnings: warnings?.(output) ?? [],
        sendsOfItself: sendsOfItself?.(output) ?? false,
        takesFile: (field: string) => takesFile?.(output, field) ?? false,
        showsField: showsField && ((field: string) => showsField(output, field)),
        readsFields: readsFields?.(output) ?? [],
        message: (job: Job, scope: Scope) => message(output, job, scope),
        carry: carry && ((mail: MailContent, scope: Scope) => carry(output, mail, scope)),
        verdict:
          verdict && (judges?.(output) ?? true)
            ? (answer: unknown) => verdict(output, answer as A)
            : undefined,
      });
    }),
  );
  return {
    type,
    summary,
    keys,
    schema: schema as unknown as v.GenericSchema<unknown, Output>,
    jsonSchema,
    message: message as never,
  };
}

/** Text is a template, as in every output. The unknown type may hold anything else. */
const templateIfText = v.lazy((input) => (typeof input === 'string' ? template() : v.unknown()));
const templatesIfMap = v.lazy((input) => (isMap(input) ? mapOf(templateIfText) : v.unknown()));

/** Keys of any output that may hold templates, beside `static` (SPEC: Templating). */
const templatedKeys = {
  subject: v.optional(templateIfText),
  to: v.optional(templateIfText),
  username: v.optional(templateIfText),
  password: v.optional(templateIfText),
  headers: v.optional(templatesIfMap),
};

/** An unregistered type loads without its other keys being checked, and is a 500 at submission time. */
export const unregisteredOutput: v.GenericSchema<unknown, Output> = v.pipe(
  v.looseObject({ type: text(), ...commonKeys, ...templatedKeys }, missingOrNoMap()),
  v.transform((parsed): Output => {
    const { type, ...common } = parsed as unknown as CommonOutput & { type: string };
    const templates = templatesIn(common);
    return {
      ...common,
      type,
      target: undefined,
      templates,
      sendsOfItself: false,
      takesFile: () => false,
      showsField: undefined,
      readsFields: [],
      warnings: [],
      message: undefined,
      carry: undefined,
      verdict: undefined,
    };
  }),
);

export interface PlacedName {
  readonly path: Path;
  readonly name: string;
  readonly wantsFiles?: boolean;
}

export interface PlacedTemplate {
  readonly path: Path;
  readonly template: Template;
}

/** Templates stand at an output's keys, or in lists and maps below. */
function templatesIn(output: object): readonly PlacedTemplate[] {
  const found: PlacedTemplate[] = [];
  const look = (value: unknown, path: Path) => {
    if (value instanceof Template) found.push({ path, template: value });
    else if (value instanceof Map) for (const [key, item] of value) look(item, [...path, key]);
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) look(item, [...path, index]);
    else if (isMap(value)) for (const [key, item] of Object.entries(value)) look(item, [...path, key]);
  };
  for (const [key, value] of Object.entries(output)) {
    // One text of the config may be several templates.
    for (const item of Array.isArray(value) ? value : [value]) look(item, [key]);
  }
  return found;
}

/** A secret, which stands in the environment alone. `variable`: as which name, for example. */
export const secretTemplate = (variable: string): Schema<Template> =>
  v.pipe(
    ownTemplate('secret_submitted'),
    v.check(
      ({ isSubmitted, envNames, defaults }) =>
        isSubmitted || (envNames.size > 0 && [...defaults].every((text) => text === '')),
      wrong('secret_literal', { variable }),
    ),
  );
