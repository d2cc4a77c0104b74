import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { pageAt } from '../../base/page_context.ts';
import { open, seal } from '../../base/seal.ts';
import { lengthBytes } from '../../base/sealed_size.ts';
import { parseUrl } from '../../base/url.ts';
import type { Values } from '../../base/values.ts';
import type { Field, Parts } from '../../fields/field.ts';
import { memberOf } from '../../fields/parts.ts';
import { sentByParts, structureIn } from '../../fields/stored_value.ts';
import type { Form, Held } from '../../form.ts';
import type { Settings } from '../../schema/settings/settings.ts';

type Origins = Settings['allowedOrigins'];

/** The submission as the text that a link holds. `fresh`: a text that was never used before. */
export const sealSubmission = (secret: string, formId: string, held: Held, fresh: string): string =>
  seal(secret, 'double opt-in', formId, deflateRawSync(pack(textsOf(held))), fresh);

/** The submission that a link holds; `undefined` where this relay did not seal it, for this form. */
export function openSubmission(
  { formTokenSecret, allowedOrigins }: Pick<Settings, 'formTokenSecret' | 'allowedOrigins'>,
  formId: string,
  sealed: string,
): Held | undefined {
  const content = open(formTokenSecret, 'double opt-in', formId, sealed);
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
  ownOrigins: Origins,
): Held {
  const values = new Map<string, readonly string[]>();
  for (let at = 0; at < fields.length; ) {
    const count = Number(fields[at + 1]);
    if (!(count >= 0)) throw new RangeError('a text is no count');
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

/** Entries become a table, `[["seed","grams"],["peas",250]]`, and parts are in the values of their fields already. */
export function packed({ fields }: Pick<Form, 'fields'>, values: Values): Values {
  const all = new Map(values);
  for (const { parts } of fields) for (const { name } of parts?.all ?? []) all.delete(name);
  for (const [{ name }, { blank = [] }, entries] of listsIn(fields, values)) {
    const names = blank.map(({ steps }) => String(steps?.at(-1)));
    const rows = entries.map((entry) => names.map((one) => memberOf(entry, one) ?? null));
    all.set(name, [JSON.stringify([names, ...rows])]);
  }
  return all;
}

/** The opposite, whatever the form has become since. */
export function unpacked(
  { fields, namedParts }: Pick<Form, 'fields' | 'namedParts'>,
  values: Values,
): Values {
  const all = new Map(values);
  for (const [{ name }, , [names, ...rows]] of listsIn(fields, values)) {
    if (!Array.isArray(names)) continue;
    const entries = rows.map((row) => {
      const cells: readonly unknown[] = Array.isArray(row) ? row : [];
      return Object.fromEntries(cells.flatMap((cell, at) => (cell === null ? [] : [[names[at], cell]])));
    });
    all.set(name, [JSON.stringify(entries)]);
  }
  if (!namedParts) return all;
  const parts = fields.flatMap((field) => sentByParts(field, all.get(field.name)?.[0] ?? ''));
  for (const [name, sent] of parts) if (namedParts.has(name)) all.set(name, sent);
  return all;
}

const listsIn = (fields: readonly Field[], values: Values) =>
  fields.flatMap((field): [Field, Parts, readonly unknown[]][] => {
    const list = field.parts?.blank && structureIn(values.get(field.name)?.[0] ?? '');
    return field.parts && Array.isArray(list) ? [[field, field.parts, list]] : [];
  });
