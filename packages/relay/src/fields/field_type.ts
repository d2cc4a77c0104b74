import * as v from 'valibot';
import type { SentFile, UploadedFile } from '../base/files.ts';
import type { Html } from '../base/html.ts';
import type { FieldError } from '../base/outcome.ts';
import { err, ok, type Result } from '../base/result.ts';
import { withLineFeeds } from '../base/values.ts';
import type { Message, Say } from '../messages/message.ts';
import type { Finding } from '../schema/finding.ts';
import { report } from '../schema/issue.ts';
import { section, withDefault } from '../schema/keys.ts';
import { withoutLinks } from '../schema/linked_text.ts';
import {
  type ControlState,
  commonKeys,
  type Field,
  type InEachLanguage,
  type Layout,
  type Match,
  type Option,
  type PartKeys,
  type Parts,
  stepsOnLoop,
} from './field.ts';
import { structureIn } from './stored_value.ts';

type Keys = v.ObjectEntries;
type Parsed<K extends Keys> = v.InferOutput<v.ObjectSchema<K, undefined>>;
type Configured<K extends Keys> = Parsed<typeof commonKeys> & Parsed<K>;

export type Written = Readonly<Record<string, unknown>>;

export interface FieldType {
  readonly type: string;
  readonly summary: string;
  /** The keys of this type beyond the common ones, for docs/reference.md. */
  readonly keys: Keys;
  readonly schema: v.GenericSchema<unknown, Field>;
  readonly takesFiles: boolean;
  /** Whether it is made of parts, so that its value is JSON. */
  readonly hasParts: boolean;
  /** Whether visitors only choose values that its keys list. */
  readonly offersChoice: boolean;
  /** Finds conflicts with the form's other keys, as written; paths start at the form. */
  readonly inForm?:
    | ((form: Written, index: number, fields: readonly Written[]) => readonly Finding[])
    | undefined;
  /** The `possibleValues`, as far as known if other keys are invalid. */
  possibleValues(written: unknown): readonly string[] | undefined;
  /** For a type that is made of parts: each, or those of an entry, as the field that a config would write. */
  readonly partsAsWritten?: ((written: Written) => readonly Written[]) | undefined;
}

/** Properties that a field gets once its form's language is known. */
interface InWords {
  /** As mails show them. */
  readonly options?: readonly Option[];
  /** The options as the form shows them, if other than mails do. */
  readonly shown?: readonly string[];
  readonly parts?: Parts;
  /** The words in each language of the form, by their hash. */
  readonly wordings?: ReadonlyMap<string, { readonly language: string; readonly label: string }>;
  /** The countries of a telephone number. */
  readonly callable?: readonly Option[];
  /** For `inWords` of the type. */
  readonly say?: Say;
  readonly takesOne?: boolean;
}

type Among = Pick<Field, 'computes'>;

/** The part of a type that its file writes; `fieldType` makes the rest. */
interface Definition<K extends Keys> {
  readonly type: string;
  readonly summary: string;
  readonly keys: K;
  readonly missing?: Message | ((field: Configured<K>) => Message);
  readonly hint?: (field: Configured<K>) => Message | undefined;
  readonly layout?: Layout;
  readonly script?: Html;
  readonly problems?: (field: Configured<K>) => readonly Finding[];
  readonly warnings?: (field: Configured<K>, zone: string | undefined) => readonly Finding[];
  readonly inForm?: FieldType['inForm'];
  readonly partsAsWritten?: FieldType['partsAsWritten'];
  readonly inJson?: Field['inJson'];
  readonly possibleValues?: (keys: Parsed<K> & InWords) => readonly string[];
  readonly takesSeveral?: (field: Configured<K>) => boolean;
  readonly takesOne?: (field: Configured<K>) => boolean;
  /** The error of a non-empty value. Default: it must be one of the `possibleValues`. */
  readonly checkValue?: (field: Configured<K> & InWords, value: string, zone?: string) => Message | undefined;
  readonly check?: (field: Configured<K>, values: readonly string[]) => Message | undefined;
  readonly meant?: (field: Configured<K>, value: string) => string;
  /** Properties that only fields with some key have. */
  readonly also?: (
    field: Configured<K>,
  ) =>
    | Partial<
        Pick<Field, 'part' | 'script' | 'joined' | 'stored' | 'inWords' | 'isOrdered' | 'drawing' | 'fileIn'>
      >
    | undefined;
  readonly inLanguage?: (
    field: Configured<K>,
    say: Say,
    language: string,
    everywhere: InEachLanguage,
  ) => InWords;
  /** For file fields. `at`: the index of the invalid file. */
  readonly takeFiles?: (
    field: Configured<K>,
    sent: readonly SentFile[],
    names: Set<string>,
  ) => Result<readonly UploadedFile[], Omit<FieldError, 'field'> & Partial<Pick<FieldError, 'field'>>>;
  /** The changed keys in a relay that receives at most so many bytes at once. */
  readonly within?: (field: Configured<K>, bytes: number) => Partial<Parsed<K>>;
  readonly mostBytes?: (field: Configured<K>) => number;
  readonly stored?: (
    field: Configured<K> & InWords,
    value: string,
    when: { readonly zone: string | undefined; readonly receivedAt: number },
  ) => string;
  readonly structured?: Field['structured'];
  readonly inWords?: (
    stored: string,
    field: Configured<K> & InWords & Among,
    about: { readonly say: Say; readonly zone: string | undefined; readonly label: string | undefined },
  ) => string;
  readonly among?: (field: Configured<K>, fields: readonly Field[], language: string) => Among;
  readonly withResults?: Field['withResults'];
  /** Whether it depends on the form's time zone, or the keys that do. */
  readonly usesZone?: true | ((field: Configured<K>, zone: string) => Partial<Parsed<K>>);
  readonly control: (field: Configured<K> & InWords & Among, state: ControlState) => Html;
}

export function fieldType<K extends Keys>(definition: Definition<K>): FieldType {
  const {
    type,
    summary,
    keys,
    missing = { code: 'missing' },
    layout = 'labelled',
    inJson = 'text',
    usesZone,
  } = definition;
  const entries = {
    type: withDefault(type, 'The field type.', v.literal(type)),
    ...commonKeys,
    ...keys,
  };
  const ready = (field: Configured<K> & InWords, zone?: string): Field => {
    const { say } = field;
    const possible = definition.possibleValues?.(field);
    // Only offered values are valid, whatever clients send.
    const checkOffered = (_: unknown, value: string): Message | undefined =>
      !possible || possible.includes(value) ? undefined : { code: 'not_an_option' };
    const checkOne = definition.checkValue ?? checkOffered;
    const meant = definition.meant && ((value: string) => definition.meant?.(field, value) ?? value);
    const takesOne = !possible && (field.takesOne || (definition.takesOne?.(field) ?? false));
    return Object.assign(field, {
      type,
      missing: typeof missing === 'function' ? missing(field) : missing,
      hint: definition.hint?.(field),
      script: definition.script,
      layout,
      inJson,
      possibleValues: possible,
      takesSeveral: definition.takesSeveral?.(field) ?? false,
      takesOne,
      warnings: definition.warnings?.(field, zone),
      check: (values: readonly string[], match = quickMatch()): FieldError | undefined => {
        for (const [at, value] of values.entries()) {
          const problem = checkOne(field, value, zone);
          if (problem) return { field: field.name, ...problem, at };
          const error = mismatchOf(field, value, at, match);
          if (error) return error;
        }
        const isTwice = takesOne && values.length > 1;
        const problem = isTwice
          ? ({ code: 'more_than_one_value' } as const)
          : definition.check?.(field, values);
        return problem && { field: field.name, ...problem };
      },
      takeFiles:
        definition.takeFiles &&
        ((sent: readonly SentFile[], names: Set<string>) => {
          const taken = definition.takeFiles?.(field, sent, names) ?? ok([]);
          return taken.ok ? taken : err({ field: field.name, ...taken.error });
        }),
      meant,
      inLanguage:
        (definition.inLanguage ?? definition.inWords) &&
        ((say: Say, language: string, everywhere: InEachLanguage) =>
          ready({ ...field, say, ...definition.inLanguage?.(field, say, language, everywhere) }, zone)),
      mostBytes: definition.mostBytes?.(field),
      stored:
        definition.stored &&
        ((value: string, receivedAt: number) =>
          definition.stored?.(field, value, { zone, receivedAt }) ?? value),
      structured: definition.structured,
      inWords:
        (definition.inWords &&
          say &&
          ((stored: string, label?: string) =>
            definition.inWords?.(stored, field, { say, zone, label }) ?? stored)) ??
        (inJson === 'structure' ? linesOf(field) : undefined),
      among:
        definition.among &&
        ((fields: readonly Field[], language: string) =>
          ready({ ...field, ...definition.among?.(field, fields, language) }, zone)),
      withResults: definition.withResults,
      inZone:
        usesZone &&
        ((zone: string) =>
          ready({ ...field, ...(usesZone === true ? undefined : usesZone(field, zone)) }, zone)),
      withKeys: (keys: PartKeys) => ready({ ...field, ...keys }, zone),
      within:
        definition.within && ((bytes: number) => ready({ ...field, ...definition.within?.(field, bytes) })),
      control: (state: ControlState, options?: readonly Option[]) =>
        definition.control(
          options ? { ...field, options } : field,
          // The relay wrote a result itself, so it is shown as it is.
          meant && !definition.withResults ? { ...state, values: state.values.map(meant) } : state,
        ),
      ...definition.also?.(field),
    });
  };
  const schema = v.pipe(
    section(entries),
    v.rawTransform(({ dataset, addIssue }) => {
      const field = dataset.value as unknown as Configured<K>;
      for (const problem of definition.problems?.(field) ?? []) addIssue(report(problem));
      return ready(field);
    }),
  );
  return {
    type,
    summary,
    keys,
    schema: schema as unknown as v.GenericSchema<unknown, Field>,
    offersChoice: definition.possibleValues !== undefined,
    takesFiles: definition.takeFiles !== undefined,
    hasParts: inJson === 'structure',
    inForm: definition.inForm,
    partsAsWritten: definition.partsAsWritten,
    possibleValues: (written) => {
      const own = v.safeParse(v.object(keys), written);
      return own.success ? definition.possibleValues?.(own.output) : undefined;
    },
  };
}

const linesOf =
  ({ parts }: InWords) =>
  (stored: string): string => {
    const value = structureIn(stored);
    return (value && parts?.words(value).join('\n\n')) ?? stored;
  };

function mismatchOf(
  { name, pattern, help }: Pick<Field, 'name' | 'pattern' | 'help'>,
  value: string,
  at: number,
  match: Match,
): FieldError | undefined {
  if (!pattern) return undefined;
  const mismatch: FieldError = help
    ? { field: name, code: 'wrong_format_described', params: { help: withoutLinks(help) }, at }
    : { field: name, code: 'wrong_format', at };
  return match(pattern, withLineFeeds(value), mismatch) === false ? mismatch : undefined;
}

/** Matches only patterns that are fast in total. */
const quickMatch = (): Match => {
  const steps = stepsOnLoop();
  return (pattern, value) => pattern.test(value, steps);
};
