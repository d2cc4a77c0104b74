/** Whether a link has room for all that visitors may fill in. */

import { doubtNames, linkUseName } from '../../base/doubt.ts';
import { deflateOverhead, packedSize, sealOverhead } from '../../base/sealed_size.ts';
import { mostEntries, usualEntries } from '../../fields/field.ts';
import { fieldTypeOf } from '../../fields/index.ts';
import { type Finding, finding, type Path } from '../../schema/finding.ts';
import { isMap, isWrittenTrue } from '../../schema/kinds.ts';
import { optionalAt } from '../feature.ts';

type RawMap = Readonly<Record<string, unknown>>;

/** Programs that check mails wrap links, and Outlook long stopped at 2,083 characters. */
export const mostLinkCharacters = 2_000;

/** The room for PUBLIC_URL, which is unknown when a config loads, and for what stands around the form's name. */
const reservedCharacters = 100 + '/api/v1/confirm/?lang=zh-Hant-TW&t='.length;

/** The request id, the time and the lengths of a page that is left out. */
const aboutBytes = packedSize(64) + packedSize(9) + 2 * packedSize(0);

/** How many bytes of fields a link of this form has room for. */
const roomFor = (formId: string): number => {
  const characters = mostLinkCharacters - reservedCharacters - encodeURIComponent(formId).length;
  return Math.floor((characters * 3) / 4) - sealOverhead - deflateOverhead - aboutBytes;
};

/** From the form as it is written: an address that may be missing, a field without a bound, more than there is room for. */
export function linkProblems(formId: string, form: RawMap, { to }: RawMap): readonly Finding[] {
  const written: readonly unknown[] = Array.isArray(form.fields) ? form.fields : [];
  const fields = written.flatMap((field, index) =>
    isMap(field) && typeof field.name === 'string' ? [{ field, name: field.name, index }] : [],
  );
  const address = written.findIndex((field) => isMap(field) && field.name === to);
  const found = written[address];
  const optional = isMap(found) ? optionalAt(found, ['fields', address]) : undefined;
  if (optional)
    return [
      {
        ...finding(`opt_in_address_${optional.why}`, optional.path, { name: String(to) }),
        aboutKey: optional.aboutKey,
      },
    ];
  const undeclared = undeclaredIn(form, new Set(fields.flatMap(({ field }) => namesOf(field))));
  if (undeclared.length > 0) return undeclared;
  const room = roomFor(formId);
  const unbounded = fields.flatMap(({ field, index }) => unboundedIn(field, ['fields', index], room));
  if (unbounded.length > 0) return unbounded;
  const sizes = fields.map((one) => ({ ...one, bytes: mostBytesOf(one.field) ?? 0 }));
  const needed = sizes.reduce(
    (sum, { name, bytes }) => sum + fieldOverhead(name) + bytes,
    form.links === undefined ? 0 : linkUseBytes,
  );
  if (needed <= room) return [];
  const [largest] = sizes.toSorted((a, b) => b.bytes - a.bytes);
  const bound = ['max_length', 'most'].filter((key) => largest && key in largest.field);
  const at = largest ? ['fields', largest.index, ...bound] : ['fields'];
  const repeats = fields.some(({ field }) => field.type === 'repeat');
  return [finding('link_too_long', at, { needed, room, repeats })];
}

/** Under these names, a field and its parts are sent. */
function namesOf(field: RawMap): readonly string[] {
  const rows = entriesOf(field);
  const prefixes = rows === undefined ? [''] : Array.from({ length: rows }, (_, index) => `${index + 1}.`);
  const parts = partsOf(field) ?? [];
  return [
    String(field.name),
    ...prefixes.flatMap((prefix) => parts.map(({ name }) => `${field.name}.${prefix}${name}`)),
  ];
}

const partsOf = (field: RawMap) => fieldTypeOf(field.type)?.partsAsWritten?.(field);

/** How often a field repeats; `undefined` if its parts are there once. */
const entriesOf = ({ type, most = usualEntries }: RawMap): number | undefined =>
  type === 'repeat' ? Math.min(Number(most) || 0, mostEntries) : undefined;

/** Where visitors may write as much as they like. */
function unboundedIn(
  field: RawMap,
  path: Path,
  room: number,
  example = field.type === 'address' ? 40 : 100,
): readonly Finding[] {
  if (mostBytesOf(field) !== undefined) return [];
  const inside = field.type === 'repeat' ? (partsOf(field) ?? []) : [];
  const found = inside.flatMap((part, index) => unboundedIn(part, [...path, 'fields', index], room, 20));
  return found.length > 0
    ? found
    : [finding('link_field_unbounded', path, { name: String(field.name), room, example })];
}

/** Fields that a mapping names and the form does not: visitors may send anything under such a name. */
function undeclaredIn({ outputs }: RawMap, declared: ReadonlySet<string>): readonly Finding[] {
  const all: readonly unknown[] = Array.isArray(outputs) ? outputs : [];
  return all.flatMap((output, index) =>
    isMap(output) && isMap(output.mapping)
      ? Object.entries(output.mapping).flatMap(([key, name]) =>
          typeof name === 'string' &&
          name !== doubtNames.tag &&
          name !== doubtNames.similar &&
          !declared.has(name)
            ? [finding('link_field_undeclared', ['outputs', index, 'mapping', key], { name })]
            : [],
        )
      : [],
  );
}

const fieldOverhead = (name: string) => packedSize(Buffer.byteLength(name)) + packedSize(2);

/** An id of 24 characters. */
const linkUseBytes = fieldOverhead(linkUseName) + packedSize(24);

/** How many bytes the values of a field take; `undefined` where visitors may write as much as they like. */
function mostBytesOf(field: RawMap): number | undefined {
  const parts = partsOf(field);
  if (!parts) return longestOf(field)?.reduce((sum, bytes) => sum + packedSize(bytes), 0);
  let names = 0;
  let values = 0;
  for (const part of parts) {
    const bytes = bytesInJson(part);
    if (bytes === undefined) return undefined;
    names += jsonBytes(String(part.name)) + 1;
    values += bytes + 1;
  }
  const rows = entriesOf(field);
  // `{"city":"Ulm"}`, and `[["seed","grams"],["peas",250]]` (sealed_submission.ts).
  return packedSize(2 + (rows === undefined ? names + values : 2 + names + rows * (2 + values)));
}

/** Of a part, whose line breaks take four: `\r\n`. */
function bytesInJson(part: RawMap): number | undefined {
  const longest = longestOf(part, part.type === 'textarea' ? 4 : 3);
  const texts = longest?.reduce((sum, bytes) => sum + 2 + bytes + (takesSeveral(part) ? 1 : 0), 0);
  return texts && Math.max('false'.length, texts + (takesSeveral(part) ? 1 : 0));
}

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text));

const takesSeveral = ({ type, multiple }: RawMap) =>
  type === 'checkboxes' || type === 'ranking' || isWrittenTrue(multiple);

/** The bytes of each value where they are longest; `undefined` where visitors may write as much as they like. */
function longestOf(field: RawMap, perCharacter = 3): readonly number[] | undefined {
  const { type = 'text', max_length: longest, version } = field;
  const known = fieldTypeOf(type);
  // No link holds files, which their type says by itself.
  if (known?.takesFiles) return [0];
  if (type === 'consent')
    return [consentBytes + (version === undefined ? 0 : Buffer.byteLength(`; version ${version}`))];
  if (known?.offersChoice) {
    const sizes = (known.possibleValues(field) ?? []).map((value) => jsonBytes(value) - 2);
    return takesSeveral(field) ? sizes : [Math.max(0, ...sizes)];
  }
  const characters = typeof longest === 'string' ? Number(longest) : Number.NaN;
  // A line break counts as one, and is sent as two bytes.
  const written = Number.isFinite(characters) ? perCharacter * characters : undefined;
  const usual = usualOf(field);
  const bytes = usual === undefined ? written : Math.min(usual, written ?? usual);
  return bytes === undefined ? undefined : [bytes];
}

/** As it is stored, with the time and the hash of the wording. */
const consentBytes = 'agreed 2026-11-25T12:00:00Z; language zh-Hant-TW; sha256:'.length + 64;

/** As people write it: with all the digits of `min` and `max`, and the places of `step`. */
function usualOf({ type, country, min, max, step = '1' }: RawMap): number | undefined {
  if (type === 'tel' && country !== undefined) return phoneBytes;
  const [least, most, places] = [min, max, step].map((one) => String(one).length) as [number, number, number];
  const isWithin = (type === 'number' || type === 'range') && min !== undefined && max !== undefined;
  return isWithin ? Math.max(least, most) + places : usualBytes[String(type)];
}

/** As E.164 with an extension: `+4930901820;ext=12`. */
const phoneBytes = 32;

/** The longest real entries: a deliverable address, a number with all its digits, a day, times as they are stored. */
const usualBytes: Readonly<Record<string, number>> = {
  email: 254,
  number: 24,
  range: 24,
  computed: 27,
  date: 10,
  time: 8,
  datetime: 25,
  month: 7,
  signature: 600,
};
