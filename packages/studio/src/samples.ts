import type { Form } from '@form-relay/relay/base';
import { type Field, type Parts, visibleFields } from '@form-relay/relay/features';
import { nameOfSample, sampleFile } from './sample_files.ts';
import { quoted } from './shell.ts';

export type Sample = readonly [name: string, value: string];

/**
 * Values that a form takes, to see it work without typing.
 *
 * @param now In milliseconds since the epoch.
 * @param given Values that are chosen already, by the names of their fields.
 */
export function sampleValues(
  form: Form,
  now: number,
  given?: ReadonlyMap<string, readonly string[]>,
): readonly Sample[] {
  const chosen = new Map(
    form.fields
      .flatMap((field) => (field.parts ? partsOf(field.parts, now) : field))
      .map((field) => [field.name, given?.get(field.name) ?? sampleOf(field, now)]),
  );
  return visibleFields(form.fields, chosen).flatMap(({ name, parts }) =>
    (parts?.all.map((part) => part.name) ?? [name]).flatMap((one) =>
      (chosen.get(one) ?? []).map((value) => [one, value] as const),
    ),
  );
}

/** As a form asks for them whose choices, such as a country, are made: all of them, or one entry and what else is needed. */
function partsOf(parts: Parts, now: number): readonly Field[] {
  const choices = parts.shown(new Map()).filter(({ possibleValues }) => possibleValues);
  const made = new Map(choices.map((part) => [part.name, sampleOf(part, now)]));
  const needed = new Set(parts.asked(new Map()).map(({ name }) => name));
  return parts.shown(made).filter(({ name, steps }) => needed.has(name) || !parts.blank || steps?.[1] === 0);
}

/** The first of our guesses that the field's own check takes; nothing where none is good. */
function sampleOf(field: Field, now: number): readonly string[] {
  if (field.computes) return [];
  // The name signs; only a visitor draws.
  if (field.drawingOf !== undefined) return [];
  if (field.takeFiles) return sampleFile(field);
  const guesses = field.possibleValues
    ? optionGuesses(field.type, field.possibleValues)
    : textGuesses(field, now);
  const isGood = (values: readonly string[] = []) => values.length > 0 && field.check(values) === undefined;
  // An initial value was meant for this very field; a placeholder shows what a pattern wants.
  return [field.value, ...guesses, [field.placeholder ?? '']].find(isGood) ?? [];
}

/** The first two, where several may be chosen: each of them reaches every output. Else one, or as many as it takes. */
const optionGuesses = (type: string, options: readonly string[]) => [
  ...(likely[type]?.(options) ?? []),
  ...[2, ...options.map((_, index) => index + 1)].map((count) => options.slice(0, count)),
];

/** A good mark, and the country of the address below. */
const likely: Readonly<Record<string, (options: readonly string[]) => readonly (readonly string[])[]>> = {
  rating: (options) => [options.slice(-2, -1)],
  scale: (options) => [options.slice(-2, -1)],
  country: (options) => [options.filter((code) => code === 'GB')],
};

function textGuesses(field: Field, now: number): readonly (readonly string[])[] {
  const bounds = [field.min, field.max].filter((bound) => bound !== undefined).map(String);
  const words = byType[field.type] ?? [
    wordsFor(field),
    ...(field.type === 'address_line' ? postalCodes : []),
  ];
  const texts = [...(timesOf(field.type, now) ?? words), ...bounds];
  return texts.flatMap((text) => [
    [text],
    [text.padEnd(field.min_length ?? 0, '.')],
    [text.slice(0, field.max_length)],
  ]);
}

/** From next week on, at the usual hours first: some days and hours may be closed. */
function timesOf(type: string, now: number): readonly string[] | undefined {
  const days = Array.from({ length: 14 }, (_, nth) =>
    new Date(now + (7 + nth) * 86_400_000).toISOString().slice(0, 10),
  );
  const hours = [10, 14, ...Array(24).keys()].map((hour) => String(hour).padStart(2, '0'));
  const times = hours.flatMap((hour) => [`${hour}:00`, `${hour}:30`]);
  switch (type) {
    case 'date':
      return days;
    case 'time':
      return times;
    case 'datetime':
      return days.flatMap((day) => times.map((time) => `${day}T${time}`));
    case 'month':
      return days.slice(0, 1).map((day) => day.slice(0, 7));
    default:
      return undefined;
  }
}

/** One of each form. */
const postalCodes = ['10115', '1010', '90210', '560001', '1000001', '01310100', 'K1A 0B1', '1012 JS', '101'];

const byType: Readonly<Record<string, readonly string[]>> = {
  email: ['ada@example.org'],
  tel: ['+44 20 7946 0123'],
  url: ['https://example.org/'],
  signature: ['Ada Lovelace'],
  number: ['2', '10', '0.5'],
  textarea: ['Hello! I would like to know more about your engines.'],
  hidden: [],
};

/** A field's name says what goes into it. */
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

const wordsFor = ({ name, autocomplete = '' }: Field) =>
  byName.find(([pattern]) => pattern.test(`${autocomplete} ${name}`.toLowerCase()))?.[1] ?? 'Hello';

/** A line for the shell that sends these values. */
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
