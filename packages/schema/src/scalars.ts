/** Texts, numbers and other single values of a config. */

import { parseAddress } from '@form-relay/base/address';
import { err, ok, type Result } from '@form-relay/base/result';
import { parseUrl } from '@form-relay/base/url';
import { sizeInWords } from '@form-relay/base/values';
import { array, choice, record } from './collections.ts';
import { type Diagnostics, shown } from './diagnostics.ts';
import { inUnits, parseDays, parseDuration } from './duration.ts';
import { checked, isMap, type JsonSchema, jsonSchemaOf, type Schema, schema, schemaLike } from './schema.ts';
import { nearest } from './suggestion.ts';

/** Numbers and booleans count as text, in editors as in the relay. */
const textJson = { title: 'text', type: ['string', 'number', 'boolean'] };
const nonEmpty = { ...textJson, minLength: 1 };

/** Text as written. */
export const text = (): Schema<string> =>
  schema(textJson, (value, at) => (typeof value === 'string' ? value : at.found(value, 'expected text')));

/** Text that may be empty; a missing value counts as empty. */
export const textOrNothing = (value: unknown, at: Diagnostics): string | undefined =>
  value === null ? '' : text()(value, at);

/** A kind of text; `read` parses it or reports what is wrong. */
export const textSchema = <T = string>(
  read: (text: string, at: Diagnostics) => T | undefined,
  json: JsonSchema = textJson,
): Schema<T> =>
  schema(json, (value, at) => {
    const found = text()(value, at);
    return found === undefined ? undefined : read(found, at);
  });

/** The address of a place that stores data, which no visitor decides. */
export function storagePlace(written: string, at: Diagnostics): string | undefined {
  if (written.includes('{{')) return at.error('the place of stored data cannot be a template; write it out');
  if (/^~($|\/)/.test(written)) at.warning('~ is not expanded here; write out the path of the home folder');
  return written;
}

/** Text of at least one character, without control characters. */
export const name = (): Schema<string> =>
  textSchema((value, at) => {
    if (value === '') return at.error('found empty text; expected a name');
    return hasControls(value) ? at.error('found a control character; names are plain text') : value;
  }, nonEmpty);

export const hasControls = (text: string): boolean => /[\0-\x1f\x7f-\x9f]/.test(text);

/** Non-blank text. */
export const label = (): Schema<string> =>
  textSchema(
    (value, at) => (value.trim() === '' ? at.error('found empty text; expected a text for visitors') : value),
    nonEmpty,
  );

const variablePattern = '^[A-Za-z_][A-Za-z0-9_]*$';

const variableName = textSchema(
  (value, at) =>
    new RegExp(variablePattern).test(value)
      ? value
      : at.error('expected the name of an environment variable, such as HOOK_URL, not its value'),
  { title: 'name of a variable', type: ['string', 'boolean'], pattern: variablePattern },
);

/** The name of an environment variable that must be set. */
export const neededVariable = (): Schema<string> =>
  checked(variableName, (name, at) => {
    at.needsEnv(name);
    return name;
  });

/**
 * The name of an environment variable that holds a secret. Rejects a secret written in its place, because the
 * log and `/readyz` show the names of unset variables.
 */
export const secretVariable = (): Schema<string> =>
  schemaLike(variableName, (value, at) =>
    typeof value === 'string' && looksLikeSecret(value)
      ? at.error(
          'this looks like a secret; write the name of an environment variable, such as KEY_BILLING. Create a new secret, because this one may have been read (for a key: relay keys new)',
          { code: 'secret_for_variable' },
        )
      : variableName(value, at),
  );

/** Whether a text written as a variable's name looks like the secret itself: a key of the relay, a Svix key, or a long random text. */
export const looksLikeSecret = (name: string): boolean =>
  /^(frk|whsec)_/.test(name) ||
  (name.length >= 32 && /[a-z]/.test(name) && /\d/.test(name) && new Set(name).size >= 10);

/** A BCP 47 language tag, as far as people write them: `de`, `pt-BR`, `zh-Hant`. */
export const isLanguageTag = (text: string): boolean => languageTag.test(text);
const languageTag = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** The owner's text for visitors: one text for all, or one per language (BCP 47); the first is the fallback. */
export type LocalizedText = string | ReadonlyMap<string, string>;

/** Text for visitors: as `one` reads it, or a map of such texts by language. */
export const localizedText = (one: Schema<string> = text()): Schema<LocalizedText> => localized(one);

/** Like `localizedText`, for texts that are parsed further, such as templates. */
export const localized = <T>(one: Schema<T>): Schema<T | ReadonlyMap<string, T>> =>
  schema(
    () => {
      const { type, ...json } = jsonSchemaOf(one);
      const byLanguage = { propertyNames: { pattern: languageTag.source }, minProperties: 1 };
      if (type === undefined)
        return { anyOf: [json, { type: 'object', ...byLanguage, additionalProperties: json }] };
      const types = [type].flat();
      // A text that is not translated yet (null) counts as missing, but at least one language needs a text.
      const isOptional = types.includes('null');
      return {
        ...json,
        ...byLanguage,
        ...(!isOptional && { not: { additionalProperties: { type: 'null' } } }),
        type: [...types, 'object'],
        additionalProperties: { ...json, type: isOptional ? types : [...types, 'null'] },
      };
    },
    (value, at) => {
      const languages = isMap(value) ? Object.keys(value) : [];
      if (languages.length === 0 || !languages.every(isLanguageTag)) return noted(one(value, at), at);
      const filled = Object.entries(value as object).filter(([, text]) => text !== null);
      at.report.localized.push({ path: at.path, languages: filled.map(([language]) => language) });
      const [first = ''] = languages;
      if (filled.length === 0) return one(null, at.in(first));
      const wordings = record(one)(Object.fromEntries(filled), at);
      for (const [language, text] of wordings ?? []) noted(text, at.in(language));
      return wordings;
    },
  );

function noted<T>(text: T | undefined, { report, path }: Diagnostics): T | undefined {
  if (typeof text === 'string') report.texts?.forVisitors.push({ path, text });
  return text;
}

/** A text or a list of texts, read as a list. */
export const texts = (): Schema<readonly string[]> =>
  schema(
    () => ({ title: 'text or list', type: ['string', 'number', 'boolean', 'array'], minItems: 1 }),
    (value, at) => {
      if (Array.isArray(value)) return array(text(), { least: 1 })(value, at);
      const one = text()(value, at);
      return one === undefined ? undefined : [one];
    },
  );

const booleanPattern = '^(true|True|TRUE|false|False|FALSE)$';

/** YAML 1.2's booleans (10.3.2). Booleans of YAML 1.1 get a suggestion. */
export const boolean = (): Schema<boolean> =>
  schema({ title: 'true or false', type: ['boolean', 'string'], pattern: booleanPattern }, (value, at) => {
    const word = typeof value === 'string' ? value : '';
    if (new RegExp(booleanPattern).test(word)) return /^t/i.test(word);
    const suggestion = booleanMeantBy(word) ?? nearest(word, ['true', 'false']);
    return at.found(value, 'expected true or false', { suggestion, word });
  });

/** The boolean that a YAML 1.1 boolean means. */
export function booleanMeantBy(word: string): 'true' | 'false' | undefined {
  if (/^(true|yes|y|on)$/i.test(word)) return 'true';
  return /^(false|no|n|off)$/i.test(word) ? 'false' : undefined;
}

/** Warns about a field's name that was probably meant as `true` or `false`. `what`: such as `the honeypot`. */
export function warnIfBoolean(found: string, at: Diagnostics, what: string, usual: string): void {
  const meant = booleanMeantBy(found);
  const instead =
    meant === 'true'
      ? `write the name of its field, such as ${usual}`
      : 'to leave the value empty, remove this key';
  if (meant) at.warning(`${what} gets the name ${shown(found, at)}; ${instead}`);
}

export const oneOf = <const T extends string>(options: readonly T[]): Schema<T> =>
  choice(options.map((name) => ({ name })));

/** YAML 1.2's numbers (10.3.2), without `.inf` and `.nan`. */
export const numberPattern =
  '^([-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)$';
const written = new RegExp(numberPattern);
export const isNumber = (text: string): boolean => written.test(text) && Number.isFinite(Number(text));

export function number({ least = -Infinity, most = Infinity, whole = false } = {}): Schema<number> {
  const range =
    least === -Infinity ? '' : most === Infinity ? ` of at least ${least}` : ` from ${least} to ${most}`;
  const expected = `${whole ? 'whole ' : ''}number${range}`;
  const isWithin = (text: string) => {
    const n = Number(text);
    return isNumber(text) && (!whole || Number.isSafeInteger(n)) && n >= least && n <= most;
  };
  const json = {
    title: expected,
    // In the specification `port` is text, and numbers may be quoted.
    type: [whole ? 'integer' : 'number', 'string'],
    pattern: numberPattern,
    ...(least > -Infinity && { minimum: least }),
    ...(most < Infinity && { maximum: most }),
  };
  return schema(json, (value, at) => {
    const word = typeof value === 'string' ? value : '';
    if (isWithin(word)) return Number(word);
    // Suggests the number in `3s`, `3 seconds` and `0,5`.
    const [, digits] = /^(\d+(?:[.,]\d+)?) ?(?:s|secs?|seconds?)?$/i.exec(word) ?? [];
    const near = digits?.replace(',', '.');
    const suggestion = near !== undefined && isWithin(near) ? near : undefined;
    return at.found(value, `expected a ${expected}`, { suggestion, word });
  });
}

/** A Go duration in milliseconds; with `hasDays` also days such as `14d`. */
export const duration = ({ leastMs = 0, mostMs = Infinity, hasDays = false } = {}): Schema<number> =>
  schema(
    {
      title: 'duration',
      type: 'string',
      pattern: `^\\+?([\\d.]+(ns|us|µs|μs|ms|s|m|h))+$|^[-+]?0$${hasDays ? '|^\\d{1,5}d$' : ''}`,
      examples: hasDays ? ['14d', '12h'] : ['30s', '10m', '1h30m'],
    },
    (value, at) => {
      if (typeof value !== 'string') return at.found(value, 'expected a duration such as 30s or 2h');
      const ms = (hasDays ? parseDays : parseDuration)(value);
      if (!ms.ok) return at.found(value, ms.error.problem, { suggestion: ms.error.suggestion, word: value });
      if (ms.value < leastMs) return at.found(value, `the minimum is ${inUnits(leastMs)}`);
      if (ms.value > mostMs) return at.found(value, `the maximum is ${inUnits(mostMs)}`);
      return ms.value;
    },
  );

export const url = (): Schema<URL> =>
  textSchema(
    (text, at) =>
      parseUrl(text) ?? at.error('this is not an absolute URL; start it with a scheme, such as https://'),
    { title: 'URL', type: 'string' },
  );

/** A bare email address that mail servers accept. */
export const emailAddress = (): Schema<string> =>
  textSchema(
    (text, at) => parseAddress(text) ?? at.error('expected an e-mail address such as office@example.com'),
    { title: 'e-mail address', type: 'string', examples: ['office@example.com'] },
  );

/** An absolute `http:` or `https:` URL without credentials. Cannot be a template (SPEC: Templating). */
export const httpUrl = (): Schema<URL> =>
  schema(
    { title: 'URL', type: 'string', pattern: '^https?://', examples: ['https://example.com/'] },
    (value, at) => {
      if (typeof value !== 'string') return at.found(value, 'expected a URL');
      const url = parseUrl(value);
      if (!url)
        return at.error(
          value.includes('{{')
            ? 'a url cannot be a template; write the address out'
            : 'this is not an absolute URL; start it with https://',
        );
      if (url.protocol !== 'https:' && url.protocol !== 'http:')
        return at.error('only http:// and https:// URLs can be used');
      return url.username === '' && url.password === ''
        ? url
        : at.error('a url cannot contain credentials; put them in headers');
    },
  );

/** Warns about a relative folder, whose location depends on the directory in which the relay is started. */
export function warnOfRelativeFolder(path: string, at: Diagnostics): void {
  if (!/^([a-z]:)?[\\/]/i.test(path))
    at.warning(
      'a relative path depends on where the relay is started; write the whole path, such as /var/lib/form-relay',
    );
}

// Kinds of values that commands of several packages accept.

/** Any text. */
export const anyText: Schema<string> = textSchema((text) => text);

export const fileName: Schema<string> = textSchema((text, at) =>
  text === '' ? at.error('Expected the name of a file.') : text,
);

export type Pair = readonly [name: string, value: string];

/** @param expected In words, such as `field=path, such as cv=cv.pdf`. */
export const pair = (expected: string): Schema<Pair> =>
  textSchema((text, at) => {
    const equals = text.indexOf('=');
    return equals < 1
      ? at.error(`Expected ${expected}.`)
      : ([text.slice(0, equals), text.slice(equals + 1)] as const);
  });

/** Reads a duration such as 12h or 2d, as milliseconds. Unlike `duration`, accepts days. */
export const age: Schema<number> = textSchema((text, at) => {
  const ms = parseDays(text);
  return ms.ok ? ms.value : at.error('Expected a time span such as 10m, 12h or 2d.');
});

const unitBytes: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1_024,
  MB: 1_048_576,
  GB: 1_073_741_824,
};

/** A size in bytes, such as `500KB` or `5MB`, with units of 1,024. */
export const size = ({ leastBytes = 1 } = {}): Schema<number> =>
  schema(
    {
      title: 'size',
      type: 'string',
      pattern: '^[0-9]+(\\.[0-9]+)? ?([KMG]?B)$',
      examples: ['500KB', '5MB'],
    },
    (value, at) => {
      const word = typeof value === 'string' ? value : '';
      const bytes = parseSize(word);
      if (!bytes.ok) return at.found(value, 'expected a size such as 500KB or 5MB', { ...bytes.error, word });
      if (bytes.value >= leastBytes) return bytes.value;
      return at.found(value, `expected at least ${sizeInWords(leastBytes)}`);
    },
  );

export function parseSize(text: string): Result<number, { readonly suggestion: string | undefined }> {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([KMG]?B)$/.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * (unitBytes[unit] ?? NaN));
  return Number.isSafeInteger(bytes) ? ok(bytes) : err({ suggestion: sizeMeantBy(text) });
}

/** The size meant by `5 mb`, `5MiB`, `5M`, `5,5MB` or `5000000`. */
function sizeMeantBy(text: string): string | undefined {
  const [, number = '', prefix = ''] =
    /^(\d+(?:[.,]\d+)?)([kmg]?)(?:i?b|bytes?)?$/i.exec(text.replaceAll(/\s/g, '')) ?? [];
  const plain = number.replace(',', '.');
  if (!(Number(plain) > 0) || Number(plain) > 1e9) return undefined;
  // A small plain number means megabytes, not bytes.
  return /^[\d.,]+$/.test(text) && Number(plain) < 1_024 ? `${plain}MB` : `${plain}${prefix.toUpperCase()}B`;
}
