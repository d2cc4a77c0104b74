import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseJson } from '@form-relay/base/json';
import { seal, unseal } from '@form-relay/base/seal';
import { parseUrl } from '@form-relay/base/url';
import type { Field, Settings, Submission, Values } from '@form-relay/core/index';
import { isMap } from '@form-relay/schema/schema';
import { pageAt } from '@form-relay/schema/template';

/** The parameter of the link, and the input of its page. */
export const sealedField = 't';

/** The parts of a submission that a link holds. */
export type Held = Pick<Submission, 'requestId' | 'receivedAt' | 'values' | 'page'>;

/** The length before a text. */
const lengthBytes = 2;

/** The submission as the text that a link holds. `fresh`: a text that was never used before. */
export const sealSubmission = (secret: string, formId: string, held: Held, fresh: string): string =>
  seal(secret, 'double opt-in', formId, deflateRawSync(pack(textsOf(held))), fresh);

/** The submission that a link holds; `undefined` where this relay did not seal it, for this form. */
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
    // Another version of the relay may have meant something else by it.
    return undefined;
  }
}

/** No link holds more, however well it is compressed: its texts are short, and a bomb would have to be sealed here. */
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

/** Each text with its length before it, so that none costs more than it has bytes, whatever is in it. */
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

/** Throws where the bytes are cut. */
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

// The values of a submission as a link holds them: each once, and the names of an entry's fields once for all entries.

/** Entries become a table, `[["seed","grams"],["peas",250]]`. */
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
