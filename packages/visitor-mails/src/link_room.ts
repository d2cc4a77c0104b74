/** Whether a link has room for all that visitors may fill in. */
import type { Diagnostics, Field } from '@form-relay/core/index';
import { sealOverhead } from '@form-relay/core/kit';

/** Programs that check mails wrap links, and Outlook long stopped at 2,083 characters. */
export const mostLinkCharacters = 2_000;

/** The room for PUBLIC_URL, which is unknown when a config loads, and for what stands around the form's name. */
const reservedCharacters = 100 + '/api/v1/confirm/?lang=zh-Hant-TW&t='.length;

/** The overhead of a text that cannot be compressed, in bytes. */
export const deflateOverhead = 5;

/** A text of so many bytes with its length before it. */
export const packedSize = (bytes: number): number => 2 + bytes;

/** The request id, the time and the lengths of a page that is left out. */
const aboutBytes = packedSize(64) + packedSize(9) + 2 * packedSize(0);

const roomFor = (formId: string): number => {
  const characters = mostLinkCharacters - reservedCharacters - encodeURIComponent(formId).length;
  return Math.floor((characters * 3) / 4) - sealOverhead - deflateOverhead - aboutBytes;
};

const fieldOverhead = (name: string) => packedSize(Buffer.byteLength(name)) + packedSize(2);

interface Asked {
  readonly formId: string;
  readonly fields: readonly Field[];
  readonly outputs: readonly { readonly mapping?: unknown }[];
}

/** Reports an address that may be missing, a field without a bound, and more than there is room for. `at`: at the form. */
export function checkRoom(to: string | undefined, { formId, fields, outputs }: Asked, at: Diagnostics): void {
  const address = fields.findIndex(({ name }) => name === to);
  const found = fields[address];
  const without = `without an address in "${to}", nobody could confirm anything, as double_opt_in asks`;
  if (found?.visible_when) {
    at.in('fields', address, 'visible_when').error(`${without}; remove visible_when`, {
      aboutKey: true,
      fix: 'remove',
    });
    return;
  }
  if (found && !found.required) {
    at.in('fields', address).error(`${without}; add required: true`, {
      fix: [[[...at.path, 'fields', address, 'required'], true]],
    });
    return;
  }
  const names = new Set(
    fields.flatMap(({ name, inputs }) => [name, ...(inputs?.all ?? []).map((one) => one.name)]),
  );
  let isUnbounded = false;
  for (const [index, { mapping }] of outputs.entries())
    for (const [key, name] of mapping instanceof Map ? mapping : [])
      if (!names.has(String(name)) && !String(name).startsWith('_')) {
        isUnbounded = true;
        at.in('outputs', index, 'mapping', String(key)).error(
          `double_opt_in keeps all that is filled in inside a link, and "${name}" is not among fields, so that it could be of any length; declare it with a max_length`,
        );
      }
  if (isUnbounded) return;
  const room = roomFor(formId);
  for (const [index, field] of fields.entries()) {
    if (mostBytesOf(field) !== undefined) continue;
    isUnbounded = true;
    // An entry's fields have bounds of their own.
    const { shape, all = [] } = field.inputs ?? {};
    const { name, path = [] } =
      shape === 'list' ? (all.find((one) => mostBytesOf(one) === undefined) ?? field) : field;
    at.in('fields', index).error(
      `double_opt_in keeps all that is filled in inside a link, which has room for ${room} bytes; add max_length to "${path.at(-1) ?? name}", such as ${shape === 'list' ? 20 : shape ? 40 : 100}`,
    );
  }
  if (isUnbounded) return;
  const sizes = fields.map((field, index) => ({ field, index, bytes: mostBytesOf(field) ?? 0 }));
  const needed = sizes.reduce((sum, { field, bytes }) => sum + fieldOverhead(field.name) + bytes, 0);
  if (needed <= room) return;
  const [largest] = sizes.toSorted((a, b) => b.bytes - a.bytes);
  const isBound = largest?.field.max_length !== undefined;
  const repeats = fields.some(({ inputs }) => inputs?.shape === 'list');
  at.in('fields', ...(largest ? [largest.index, ...(isBound ? ['max_length'] : [])] : [])).error(
    `double_opt_in keeps all that is filled in inside a link, which has room for ${room} bytes; the fields together may take ${needed}, at 3 bytes a character; lower a max_length${repeats ? ' or most' : ''}, or leave out a field`,
  );
}

/** How many bytes the values of a field take; `undefined` where visitors may write as much as they like. */
function mostBytesOf(field: Field): number | undefined {
  const { inputs } = field;
  if (!inputs) return longestOf(field)?.reduce((sum, bytes) => sum + packedSize(bytes), 0);
  const columns = new Map(inputs.all.map((input) => [String(input.path?.at(-1) ?? input.name), input]));
  let names = 0;
  let values = 0;
  for (const [name, input] of columns) {
    const bytes = bytesInJson(input);
    if (bytes === undefined) return undefined;
    names += jsonBytes(name) + 1;
    values += bytes + 1;
  }
  const most = Reflect.get(field, 'most');
  const rows = typeof most === 'number' ? most : 1;
  // `{"city":"Ulm"}`, and `[["seed","grams"],["peas",250]]` (sealed_submission.ts).
  return packedSize(2 + (inputs.shape === 'map' ? names + values : 2 + names + rows * (2 + values)));
}

/** A line break takes four: `\\r\\n`. */
function bytesInJson(input: Field): number | undefined {
  const several = input.takesSeveral ? 1 : 0;
  const longest = longestOf(input, input.type === 'textarea' ? 4 : perCharacter);
  const texts = longest?.reduce((sum, bytes) => sum + 2 + bytes + several, 0);
  return texts === undefined ? undefined : Math.max('false'.length, texts + several);
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

const perCharacter = 3;

function longestOf(field: Field, each = perCharacter): readonly number[] | undefined {
  const { type, offered, takesSeveral, takeFiles, max_length: longest } = field;
  // No link holds files, which their type says by itself.
  if (takeFiles) return [0];
  const keys: Readonly<Record<string, unknown>> = { ...field };
  if (type === 'consent') {
    const { version } = keys;
    return [consentBytes + (version === undefined ? 0 : Buffer.byteLength(`; version ${version}`))];
  }
  if (type === 'checkbox') return [Buffer.byteLength(String(keys.checked_value))];
  if (offered) {
    const sizes = offered.map((value) => jsonBytes(value) - 2);
    return takesSeveral ? sizes : [Math.max(0, ...sizes)];
  }
  const written = longest === undefined ? undefined : each * longest;
  const usual = usualOf(type, keys);
  const bytes = usual === undefined ? written : Math.min(usual, written ?? usual);
  return bytes === undefined ? undefined : [bytes];
}

/** As it is stored, with the time and the hash of the wording. */
const consentBytes = 'agreed 2026-11-25T12:00:00Z; language zh-Hant-TW; sha256:'.length + 64;

/** As people write it: with all the digits of `min` and `max`, and the places of `step`. */
function usualOf(
  type: string,
  { country, min, max, step = '1' }: Readonly<Record<string, unknown>>,
): number | undefined {
  if (type === 'tel' && country !== undefined) return phoneBytes;
  const [least = 0, most = 0, places = 0] = [min, max, step].map((one) => String(one).length);
  const isWithin = (type === 'number' || type === 'range') && min !== undefined && max !== undefined;
  return isWithin ? Math.max(least, most) + places : usualBytes[type];
}

/** As E.164 with an extension: `+4930901820;ext=12`. */
const phoneBytes = 32;

/** The longest real entries: a deliverable address, a number with all its digits, a day, times as they are stored. */
const usualBytes: Readonly<Record<string, number>> = {
  email: 254,
  number: 24,
  range: 24,
  date: 10,
  time: 8,
  datetime: 25,
};
