/**
 * The kinds of values in a config. Parsed YAML has strings, lists, maps and null (yaml/document.ts); each kind converts
 * them, or reports why it cannot.
 */
import * as v from 'valibot';
import { looksLikeSecret } from '../base/looks_like_secret.ts';
import { err, ok, type Result } from '../base/result.ts';
import { parseUrl } from '../base/url.ts';
import type { KindInfo, Schema } from './any_schema.ts';
import { parseDays, parseDuration } from './duration.ts';
import { type Finding, type FindingCode, finding } from './finding.ts';
import { findingOf, read, report, wrong } from './issue.ts';
import { meantBy, nearest } from './suggestion.ts';
import { parseTemplate } from './template/parse.ts';
import type { Template } from './template/render.ts';

const kind = <T>(info: KindInfo) => v.metadata<T, KindInfo>(info);

/** Editors accept these as text. With booleans, they would suggest `true` and `false` for every text. */
const scalar = { type: ['string', 'number'], errorMessage: 'Expected text.' };

/** Text as written. */
export const text = (): Schema<string> =>
  v.pipe(v.string(wrong('not_text')), kind({ jsonSchema: { ...scalar, title: 'text' } }));

/** Text of at least one character, without control characters. */
export const name = (): Schema<string> =>
  v.pipe(
    text(),
    v.check((value) => value !== '', wrong('name_empty')),
    v.check((value) => !/[\0-\x1f\x7f-\x9f]/.test(value), wrong('name_with_controls')),
    kind({ jsonSchema: { ...scalar, title: 'text', minLength: 1 } }),
  );

/** The name of an environment variable, as in shells and `.env` files. */
export const variableName = (): Schema<string> =>
  v.pipe(
    text(),
    v.check((value) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(value), wrong('not_a_variable_name')),
    kind({
      jsonSchema: { title: 'name of a variable', type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
    }),
  );

/**
 * The name of a variable that holds a secret. A secret in its place does not load: the log and `/readyz` show the names of
 * variables that are not set.
 */
export const secretVariable = (): Schema<string> =>
  v.pipe(
    variableName(),
    v.check((name) => !looksLikeSecret(name), wrong('secret_for_variable')),
  );

/** Non-blank text that names something for visitors. */
export const label = (): Schema<string> =>
  v.pipe(
    text(),
    v.check((value) => value.trim() !== '', wrong('label_empty')),
    kind({ jsonSchema: { ...scalar, title: 'text', minLength: 1 } }),
  );

/** Text that may be empty; null counts as empty. */
export const textOrNothing = (message = wrong('not_text')): Schema<string> =>
  v.pipe(
    v.nullable(v.string(message)),
    v.transform((value) => value ?? ''),
  );

export function texts(): Schema<readonly string[]> {
  const several = list(text(), { least: 1 });
  const one = v.pipe(
    text(),
    v.transform((value): readonly string[] => [value]),
  );
  return v.pipe(
    v.lazy((input): Schema<readonly string[]> => (Array.isArray(input) ? several : one)),
    kind({
      jsonSchema: { title: 'text or list', type: ['string', 'number', 'boolean', 'array'], minItems: 1 },
    }),
  );
}

/** YAML 1.2's booleans (10.3.2). Booleans of older YAML get a suggestion. */
export const flag = (): Schema<boolean> =>
  v.pipe(
    v.picklist(['true', 'True', 'TRUE', 'false', 'False', 'FALSE'], (issue) => {
      const word = typeof issue.input === 'string' ? issue.input : '';
      return wrong('not_a_flag', { near: flagMeantBy(word) ?? nearest(word, ['true', 'false']) })(issue);
    }),
    v.transform((value) => value.toLowerCase() === 'true'),
    kind({
      jsonSchema: {
        title: 'true or false',
        type: ['boolean', 'string'],
        pattern: '^(true|True|TRUE|false|False|FALSE)$',
        errorMessage: 'Expected true or false.',
      },
    }),
  );

/** Whether an unparsed value is YAML's `true`. */
export const isWrittenTrue = (written: unknown): boolean => /^true$/i.test(String(written));

/** The boolean that a boolean of YAML 1.1 means. */
export const flagMeantBy = (word: string): 'true' | 'false' | undefined => {
  if (/^(true|yes|y|on)$/i.test(word)) return 'true';
  return /^(false|no|n|off)$/i.test(word) ? 'false' : undefined;
};

/** `absent` maps words for things that do not exist to codes that explain it. */
export const choice = <const T extends string>(
  options: readonly T[],
  absent?: ReadonlyMap<string, AbsentCode>,
): Schema<T> =>
  v.picklist(options, (issue) => {
    const word = typeof issue.input === 'string' ? issue.input : '';
    const code = absent?.get(word.toLowerCase());
    if (code) return wrong(code)(issue);
    return wrong('not_a_choice', { choices: options, near: meantBy(word, options) })(issue);
  });

export type AbsentCode =
  | 'no_field_of_files'
  | 'no_field_of_captcha'
  | 'no_field_of_honeypot'
  | 'no_field_of_button'
  | 'no_field_of_note';

/** YAML 1.2's numbers (10.3.2), without `.inf` and `.nan`. */
export const numberPattern =
  '^([-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)$';

const written = new RegExp(numberPattern);

/** Whether `Number` reads the text as such a number. */
export const isNumber = (text: string): boolean => written.test(text) && Number.isFinite(Number(text));

interface NumberLimits {
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  readonly whole?: boolean | undefined;
}

/** Such as `whole number from 1 to 5`. */
function inWords({ least, most, whole }: NumberLimits): string {
  const range =
    least === undefined ? '' : most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`;
  return `${whole ? 'whole ' : ''}number${range}`;
}

function isWithin(
  text: string,
  { least = -Infinity, most = Infinity, whole = false }: NumberLimits,
): boolean {
  const value = Number(text);
  return isNumber(text) && (!whole || Number.isSafeInteger(value)) && value >= least && value <= most;
}

/** The number in `3s`, `3 seconds` and `0,5`. */
function numberMeantBy(word: unknown, limits: NumberLimits): string | undefined {
  const [, digits] =
    (typeof word === 'string' && /^(\d+(?:[.,]\d+)?) ?(?:s|secs?|seconds?)?$/i.exec(word)) || [];
  const near = digits?.replace(',', '.');
  return near !== undefined && isWithin(near, limits) ? near : undefined;
}

export const number = (limits: NumberLimits = {}): Schema<number> => {
  const expected = inWords(limits);
  const wrongNumber = (issue: v.BaseIssue<unknown>) =>
    wrong('not_a_number', { expected, near: numberMeantBy(issue.input, limits) })(issue);
  return v.pipe(
    v.string(wrongNumber),
    v.check((value) => isWithin(value, limits), wrongNumber),
    v.transform(Number),
    kind({
      jsonSchema: {
        title: expected,
        type: [limits.whole ? 'integer' : 'number', 'string'],
        pattern: numberPattern,
        minimum: limits.least,
        maximum: limits.most,
        errorMessage: `Expected a ${expected}.`,
      },
    }),
  );
};

/** A Go duration, or with `hasDays` also days such as `14d`, in milliseconds. */
export const duration = ({ leastMs = 0, mostMs = Infinity, hasDays = false } = {}): Schema<number> =>
  v.pipe(
    v.string(wrong('not_a_duration')),
    read((found) => {
      const ms = (hasDays ? parseDays : parseDuration)(found);
      if (!ms.ok) return ms;
      if (ms.value < leastMs) return err(finding('duration_too_short', [], { found, leastMs }));
      if (ms.value > mostMs) return err(finding('duration_too_long', [], { found, mostMs }));
      return ms;
    }),
    kind({
      jsonSchema: {
        title: 'duration',
        type: 'string',
        pattern: `^\\+?([\\d.]+(ns|us|µs|μs|ms|s|m|h))+$|^[-+]?0$${hasDays ? '|^\\d{1,5}d$' : ''}`,
        errorMessage: `Expected a duration such as ${hasDays ? '14d or 12h' : '30s, 10m or 1h30m'}.`,
      },
    }),
  );

/** An absolute `http:` or `https:` URL without credentials. Never templated (SPEC: Templating). */
export const httpUrl = (): Schema<URL> =>
  v.pipe(
    v.string(wrong('not_a_url')),
    read(webUrl),
    kind({
      jsonSchema: {
        title: 'URL',
        type: 'string',
        format: 'uri',
        pattern: '^https?://',
        errorMessage: 'Expected a URL that starts with https:// or http://.',
      },
    }),
  );

function webUrl(value: string): Result<URL, Finding> {
  const url = parseUrl(value);
  if (!url) return err(finding(value.includes('{{') ? 'url_templated' : 'url_relative', []));
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return err(finding('url_of_no_web', []));
  if (url.username !== '' || url.password !== '') return err(finding('url_with_credentials', []));
  return ok(url);
}

type Parsed = ReturnType<typeof parseTemplate>;

/** Caches templates, which the forms of a large config share: this saves a fifth of its parsing or more. */
const recent = new Map<string, Parsed>();

function parseOnce(source: string): Parsed {
  const known = recent.get(source);
  if (known) return known;
  const parsed = parseTemplate(source);
  if (recent.size >= 1000) recent.clear();
  recent.set(source, parsed);
  return parsed;
}

/** Text with `{{ … }}` templates, parsed and typed at load, so that rendering cannot fail. */
export const template = (): Schema<Template> =>
  v.pipe(
    textOrNothing(),
    read(parseOnce),
    kind({ jsonSchema: { title: 'template', type: [...scalar.type, 'null'] } }),
  );

/** A template in which nothing may stand that visitors write. */
export const ownTemplate = (submitted: Extract<FindingCode, `${string}_submitted`>): Schema<Template> =>
  v.pipe(
    template(),
    v.check(({ isSubmitted }) => !isSubmitted, wrong(submitted)),
    kind({ jsonSchema: { title: 'template without fields', type: [...scalar.type, 'null'] } }),
  );

export const list = <T>(item: Schema<T>, { least = 0 } = {}): Schema<readonly T[]> =>
  v.pipe(
    v.array(item, noList),
    v.check((items) => items.length >= least, wrong('list_too_short', { least })),
    kind({ jsonSchema: { minItems: least } }),
  );

/** In YAML, `-name: email` is a key `-name`, and a dash without a space is text. */
function noList(issue: v.BaseIssue<unknown>): string {
  const { input } = issue;
  const key = isMap(input) ? Object.keys(input).find((one) => one.startsWith('-')) : undefined;
  if (key !== undefined)
    return report({ ...finding('dash_without_space', [key]), aboutKey: true }).message(issue);
  const isDash = typeof input === 'string' && /^-\S/.test(input);
  return wrong(isDash ? 'dash_without_space' : 'not_a_list')(issue);
}

/** Alternative kinds; `choose` selects one by the value. */
export const oneOf = <T>(all: readonly Schema<T>[], choose: (input: unknown) => Schema<T>): Schema<T> =>
  v.pipe(
    v.lazy((input) => choose(input)),
    kind<T>({ jsonSchema: {}, either: all as readonly v.GenericSchema[] }),
  );

/** A map with custom keys, in the order written. */
export const mapOf = <T>(
  value: Schema<T>,
  keyProblem: (key: string, earlier: ReadonlyMap<string, unknown>) => Finding | undefined = () => undefined,
  example?: string,
): Schema<ReadonlyMap<string, T>> =>
  v.pipe(
    v.custom<Record<string, unknown>>(isMap, wrong('not_a_map', { example })),
    v.rawTransform(({ dataset, addIssue }) => {
      const map = new Map<string, T>();
      for (const [key, item] of Object.entries(dataset.value)) {
        const problem = keyProblem(key, map);
        if (problem) addIssue(report({ ...problem, path: [key], aboutKey: true }));
        const result = v.safeParse(value, item);
        if (result.success) map.set(key, result.output);
        for (const found of (result.issues ?? []).map(findingOf)) {
          addIssue(report({ ...found, path: [key, ...found.path] }));
        }
      }
      return map;
    }),
    kind({ jsonSchema: { type: 'object' }, values: value as v.GenericSchema }),
  );

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
