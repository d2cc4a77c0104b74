/** Whether a link has room for all that visitors may fill in. */

import { doubtNames, linkUseName } from '../../base/doubt.ts';
import { deflateOverhead, packedSize, sealOverhead } from '../../base/sealed_size.ts';
import { fieldTypeOf } from '../../fields/index.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { isMap, isWrittenTrue } from '../../schema/kinds.ts';

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
  const sizes = written.flatMap((field, index) =>
    isMap(field) && typeof field.name === 'string'
      ? [{ name: field.name, index, bytes: mostBytesOf(field), isBounded: 'max_length' in field }]
      : [],
  );
  const address = written.findIndex((field) => isMap(field) && field.name === to);
  const found = written[address];
  if (isMap(found) && (!isWrittenTrue(found.required) || found.visible_when !== undefined))
    return [finding('opt_in_address_optional', ['fields', address], { name: String(to) })];
  const undeclared = undeclaredIn(form, new Set(sizes.map(({ name }) => name)));
  if (undeclared.length > 0) return undeclared;
  const room = roomFor(formId);
  const ofParts = written.flatMap((field, index) =>
    isMap(field) && fieldTypeOf(field.type)?.hasParts
      ? [finding('link_of_parts', ['fields', index, 'type'], { type: String(field.type) })]
      : [],
  );
  if (ofParts.length > 0) return ofParts;
  const unbounded = sizes.filter(({ bytes }) => bytes === undefined);
  if (unbounded.length > 0)
    return unbounded.map(({ name, index }) =>
      finding('link_field_unbounded', ['fields', index], { name, room }),
    );
  const needed = sizes.reduce(
    (sum, { name, bytes = 0 }) => sum + fieldOverhead(name) + bytes,
    form.links === undefined ? 0 : linkUseBytes,
  );
  if (needed <= room) return [];
  const [largest] = sizes.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
  const at = largest ? ['fields', largest.index, ...(largest.isBounded ? ['max_length'] : [])] : ['fields'];
  return [finding('link_too_long', at, { needed, room })];
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

/** An id of 24 characters, and a time (places/claims.ts). */
const linkUseBytes = fieldOverhead(linkUseName) + packedSize(24 + 1 + 7);

/** How many bytes the values of a field take; `undefined` where visitors may write as much as they like. */
function mostBytesOf(field: RawMap): number | undefined {
  const { type = 'text', max_length: longest, multiple } = field;
  // No link holds files, which their type says by itself.
  if (fieldTypeOf(type)?.takesFiles) return 0;
  const possible = fieldTypeOf(type)?.possibleValues(field);
  if (possible) {
    const sizes = possible.map((value) => packedSize(Buffer.byteLength(value)));
    const takesSeveral = type === 'checkboxes' || isWrittenTrue(multiple);
    return takesSeveral ? sizes.reduce((sum, size) => sum + size, 0) : Math.max(0, ...sizes);
  }
  const characters = typeof longest === 'string' ? Number(longest) : Number.NaN;
  // A line break counts as one, and is sent as two bytes.
  const written = Number.isFinite(characters) ? 3 * characters : undefined;
  const isPhone = type === 'tel' && field.country !== undefined;
  const usual = isPhone ? phoneBytes : usualBytes[String(type)];
  const bytes = usual === undefined ? written : Math.min(usual, written ?? usual);
  return bytes === undefined ? undefined : packedSize(bytes);
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
