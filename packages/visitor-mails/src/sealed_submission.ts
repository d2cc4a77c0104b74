import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseJson } from '@form-relay/base/json';
import { seal, unseal } from '@form-relay/base/seal';
import { parseUrl } from '@form-relay/base/url';
import type { Field, Settings, Submission, Values } from '@form-relay/core/index';
import { isMap } from '@form-relay/schema/schema';
import { pageAt } from '@form-relay/schema/template';

/** The parameter of the link, and the input of its page. */
export const sealedField = 't';

/** The parts of a submission that a link contains. */
export type Held = Pick<Submission, 'requestId' | 'receivedAt' | 'values' | 'page'>;

/** The size of the length before each text. */
const lengthBytes = 2;

/** Encrypts a submission as the text of a link. `fresh`: a text that was never used before. */
export const sealSubmission = (secret: string, formId: string, held: Held, fresh: string): string =>
  seal(secret, 'double opt-in', formId, deflateRawSync(pack(textsOf(held))), fresh);

/** The submission in a link; `undefined` unless this relay encrypted it for this form. */
export function openSubmission(
  { formTokenSecret, allowedOrigins }: Pick<Settings, 'formTokenSecret' | 'allowedOrigins'>,
  formId: string,
  sealed: string,
): Held | undefined {
  const content = unseal(formTokenSecret, 'double opt-in', formId, sealed);
  if (!content) return undefined;
  try {
    return heldIn(unpack(inflateRawSync(content, { maxOutputLength: mostBytes })), allowedOrigins);
  } catch {
    // Another version of the relay may have used another format.
    return undefined;
  }
}

/** The maximum after decompression. Links are short, and only this relay could encrypt a decompression bomb. */
const mostBytes = 65_536;

function textsOf({ requestId, receivedAt, values, page }: Held): readonly string[] {
  const fields = [...values].flatMap(([name, sent]) => [name, String(sent.length), ...sent]);
  return [requestId, receivedAt.toString(36), page?.url ?? '', page?.title ?? '', ...fields];
}

function heldIn(
  [requestId = '', receivedAt = '', url = '', title = '', ...fields]: readonly string[],
  ownOrigins: Settings['allowedOrigins'],
): Held {
  const values = new Map<string, readonly string[]>();
  for (let at = 0; at < fields.length; ) {
    const count = Number(fields[at + 1]);
    if (!(count >= 0)) throw new RangeError('a text is not a count');
    values.set(fields[at] ?? '', fields.slice(at + 2, at + 2 + count));
    at += 2 + count;
  }
  const address = parseUrl(url);
  return {
    requestId,
    receivedAt: Number.parseInt(receivedAt, 36),
    values,
    page: address && pageAt(address, title, ownOrigins),
  };
}

/** Puts its length before each text, so that no text takes more space than its bytes and a few more. */
function pack(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt16BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** Throws if bytes are missing. */
function unpack(bytes: Buffer): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + lengthBytes;
    const end = start + bytes.readUInt16BE(at);
    if (end > bytes.length) throw new RangeError('a text is cut');
    texts.push(bytes.toString('utf8', start, end));
    at = end;
  }
  return texts;
}

// Removes repetitions from the values in a link: each value once, and the names of an entry's fields once for all entries.

/** Entries become a table: `[["seed","grams"],["peas",250]]`. */
export function packed(fields: readonly Field[], values: Values): Values {
  const all = new Map(values);
  for (const [name, entries] of listsIn(fields, values)) {
    const names = [...new Set(entries.flatMap((entry) => (isMap(entry) ? Object.keys(entry) : [])))];
    const rows = entries.map((entry) => names.map((one) => (isMap(entry) ? (entry[one] ?? null) : null)));
    all.set(name, [JSON.stringify([names, ...rows])]);
  }
  return all;
}

export function unpacked(fields: readonly Field[], values: Values): Values {
  const all = new Map(values);
  for (const [name, [names, ...rows]] of listsIn(fields, values)) {
    if (!Array.isArray(names)) continue;
    const entries = rows.map((row) => {
      const cells: readonly unknown[] = Array.isArray(row) ? row : [];
      return Object.fromEntries(cells.flatMap((cell, at) => (cell === null ? [] : [[names[at], cell]])));
    });
    all.set(name, [JSON.stringify(entries)]);
  }
  return all;
}

const listsIn = (fields: readonly Field[], values: Values) =>
  fields.flatMap(({ name, inputs }): [string, readonly unknown[]][] => {
    const list = inputs?.shape === 'list' ? parseJson(values.get(name)?.[0] ?? '') : undefined;
    return Array.isArray(list) ? [[name, list]] : [];
  });
