import { quoted } from '@form-relay/base/terminal';
import { withDerived } from '@form-relay/core/fields/derived';
import type { Field, Form, SentFile, Submission, Values } from '@form-relay/core/index';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { readSettings } from '@form-relay/core/settings';
import { visibleFields } from '@form-relay/schema/condition';

export type Sample = readonly [name: string, value: string];

/** Made-up values that a form accepts. @param now In milliseconds since the epoch. @param given Values already chosen. */
export function sampleValues(
  form: Form,
  now: number,
  given?: ReadonlyMap<string, readonly string[]>,
): readonly Sample[] {
  const made = { requestId: '', receivedAt: now, values: new Map() };
  const submission = restoreSubmission(form, made, readSettings({}));
  const chosen = new Map<string, readonly string[]>();
  for (const field of form.fields.flatMap((one) => (one.inputs ? inputsOf(one.inputs) : one)))
    if (!field.derive)
      chosen.set(field.name, given?.get(field.name) ?? sampleOf(field, now, submission, chosen));
  return visibleFields(form.fields, withDerived(chosen, form)).flatMap(({ name, inputs }) =>
    (inputs?.all.map((input) => input.name) ?? [name]).flatMap((one) =>
      (chosen.get(one) ?? []).map((value) => [one, value] as const),
    ),
  );
}

/** All inputs, or for entries, those of the first entry and all required ones. */
function inputsOf({ shape, shown, validated }: NonNullable<Field['inputs']>): readonly Field[] {
  const needed = new Set(validated(new Map()).map(({ name }) => name));
  return shown(new Map()).filter(({ name, path }) => needed.has(name) || shape === 'map' || path?.[1] === 0);
}

/** The first guess that the field's own check accepts; nothing if none is valid. */
function sampleOf(field: Field, now: number, submission: Submission, chosen: Values): readonly string[] {
  // For example, only a visitor can draw a signature.
  if (field.comesWith !== undefined) return [];
  if (field.takeFiles) return sampleFile(field.takeFiles);
  const { fields, fieldChecks } = submission.form;
  const isGood = (values: readonly string[] = []) => {
    const all = new Map([...chosen, [field.name, values]]);
    const isWrong = () => fieldChecks.some((check) => check(field, all, fields, submission));
    return values.length > 0 && field.check(values, submission) === undefined && !isWrong();
  };
  // An initial value was written for this very field, and a placeholder shows what a pattern expects.
  const placeholder =
    field.placeholder === undefined ? '' : submission.form.locale(undefined).text(field.placeholder);
  return [field.value, ...guesses(field, now), [placeholder], ...chosen.values()].find(isGood) ?? [];
}

function guesses(field: Field, now: number): readonly (readonly string[])[] {
  const own = field.samples?.(now);
  if (field.offered) return [...(own ?? []), ...optionGuesses(field.offered)];
  const { min, max }: Field & { readonly min?: unknown; readonly max?: unknown } = field;
  const bounds = [min, max].filter((bound) => bound !== undefined).map((bound) => [String(bound)]);
  const texts = [...(own ?? [[wordsFor(field)]]), ...bounds];
  return texts.flatMap(([text = '']) => [
    [text],
    [text.padEnd(field.min_length ?? 0, '.')],
    [text.slice(0, field.max_length)],
  ]);
}

/** Two options if several may be chosen, so that outputs get several values. Otherwise one, or as many as the field accepts. */
const optionGuesses = (options: readonly string[]) =>
  [2, ...options.map((_, index) => index + 1)]
    .map((count) => options.slice(0, count))
    .concat(options.slice(1).map((one) => [one]));

/** Guesses by the name of a field. */
const byName: readonly (readonly [RegExp, string])[] = [
  [/first|given|forename/, 'Ada'],
  [/last|family|surname/, 'Lovelace'],
  [/company|organi[sz]ation|business/, 'Analytical Engines'],
  [/zip|post(al)?_?code/, 'W1S 4BE'],
  [/city|town/, 'London'],
  [/country/, 'United Kingdom'],
  [/address-level1|region|province/, 'Greater London'],
  [/line2/, 'First floor'],
  [/street|address/, "12 St James's Square"],
  [/phone|mobile/, '+44 20 7946 0123'],
  [/subject|title|topic/, 'A question'],
  [/name/, 'Ada Lovelace'],
  [/mail/, 'ada@example.org'],
];

export const wordsFor = ({ name, autocomplete = '' }: Pick<Field, 'name' | 'autocomplete'>): string =>
  byName.find(([pattern]) => pattern.test(`${autocomplete} ${name}`.toLowerCase()))?.[1] ?? 'Hello';

/** A shell command that sends these values. */
export function curlLine(url: string, samples: readonly Sample[]): string {
  const hasFiles = samples.some(([, value]) => nameOfSample(value));
  const data = samples.map(([name, value]) => {
    const file = nameOfSample(value);
    if (file) return `-F ${quoted(`${name}=@${file}`)}`;
    if (hasFiles) return `--form-string ${quoted(`${name}=${value}`)}`;
    const pair = `${name}=${value}`;
    return /^[\w.@/:-]+=[\w.@/:-]*$/.test(pair) ? `-d ${pair}` : `--data-urlencode ${quoted(pair)}`;
  });
  return [`curl ${quoted(url)}`, ...(data.length > 0 ? data : ["-d ''"])].join(' \\\n  ');
}

const fileGuesses = [
  ['sample.pdf', 'application/pdf', '%PDF-1.4\n%%EOF\n'],
  [
    'sample.png',
    'image/png',
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  ],
  ['sample.txt', 'text/plain', 'Hello\n'],
] as const;

/** The first small sample file that the field accepts, for browser/client/controls.ts: `data:…;name=sample.pdf;base64,…`. */
function sampleFile(take: NonNullable<Field['takeFiles']>): readonly string[] {
  for (const [name, type, content] of fileGuesses) {
    const bytes = Buffer.from(content);
    if ('files' in take([{ name, type, bytes }], new Set()))
      return [`data:${type};name=${name};base64,${bytes.toString('base64')}`];
  }
  return [];
}

/** The name of such a sample file. */
export const nameOfSample = (value: string): string | undefined =>
  /^data:[\w/.+-]+;name=([\w.]+);base64,/.exec(value)?.[1];

/** The file that a sample value contains as a `data:` URL. */
export function fileOf(value: string): SentFile | undefined {
  const name = nameOfSample(value);
  if (name === undefined) return undefined;
  const [head = '', data = ''] = value.split(';base64,');
  const type = /^data:([^;]+)/.exec(head)?.[1] ?? '';
  return { name, type, bytes: Buffer.from(data, 'base64') };
}
