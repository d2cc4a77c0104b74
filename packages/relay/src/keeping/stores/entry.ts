import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Files, UploadedFile } from '../../base/files.ts';
import type { Aside, Kept, KeptOutput, Opened } from '../../base/kept.ts';
import { pageAt } from '../../base/page_context.ts';
import { err, ok } from '../../base/result.ts';
import type { Submission } from '../../base/submission.ts';
import { parseUrl } from '../../base/url.ts';
import type { Settings } from '../../schema/settings/settings.ts';

/** The part of a submission that deliveries need. */
export interface KeptSubmission
  extends Pick<Submission, 'requestId' | 'receivedAt' | 'values' | 'page' | 'hops'> {
  readonly files: Files;
}

/** The unchanging facts of an entry. The content repeats them, so that it can't be assigned to another output. */
type About = Pick<Kept, 'id' | 'form' | 'output' | 'receivedAt'>;

type Closed = About & Pick<Kept, 'content' | 'assigned'>;

/** The largest submission that is kept, in bytes, with the usual UPLOAD_BUDGET. */
export const usualMostKept = 2 ** 26;

/** The first byte of a content. Version 0.1.0 sealed in the age format: `age --decrypt` opens all but the first byte. */
const kinds = { clear: 1, secret: 2, sealed: 3 } as const;

const checksumBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** A submission as bytes. @param keepSecret KEEP_SECRET, with which every relay can read it. Empty: not encrypted. */
export function packContent(submission: KeptSubmission, about: About, keepSecret: string): Uint8Array {
  const clear = pack(submission, about);
  if (keepSecret === '') return Buffer.concat([Buffer.of(kinds.clear), checksum(clear), clear]);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(keepSecret), nonce);
  cipher.setAAD(bound(about));
  const text = [cipher.update(clear), cipher.final()];
  return Buffer.concat([Buffer.of(kinds.secret), nonce, ...text, cipher.getAuthTag()]);
}

/** Whether only the owner of a key can read the content. */
export const isSealed = (content: Uint8Array): boolean => content[0] === kinds.sealed;

/** @param unseal Opens the age format. Default: sealed content stays sealed. */
export async function openContent(
  kept: Closed,
  { keepSecret, allowedOrigins }: Pick<Settings, 'keepSecret' | 'allowedOrigins'>,
  unseal?: (sealed: Uint8Array) => Promise<Opened<Uint8Array>>,
): Promise<Opened<KeptSubmission>> {
  const { content } = kept;
  const unpacked = (clear: Uint8Array) => unpack(clear, kept, keepSecret, allowedOrigins);
  const rest = content.subarray(1);
  switch (content[0]) {
    case kinds.clear: {
      // A checksum proves nothing: anyone can compute it.
      if (keepSecret !== '') return err('unencrypted');
      const clear = rest.subarray(checksumBytes);
      const isWhole = checksum(clear).equals(rest.subarray(0, checksumBytes));
      return isWhole ? unpacked(clear) : err('damaged');
    }
    case kinds.secret: {
      if (keepSecret === '') return err('no_secret');
      const clear = decrypt(rest, kept, keepSecret);
      return clear ? unpacked(clear) : err('other_secret');
    }
    case kinds.sealed: {
      if (!unseal) return err('sealed');
      const clear = await unseal(rest);
      if (!clear.ok) return clear;
      // No command assigns a sealed entry, and without KEEP_SECRET anyone could forge an assignment.
      return unpack(clear.value, { ...kept, assigned: '' }, keepSecret, allowedOrigins);
    }
    default:
      return err('damaged');
  }
}

const algorithm = 'aes-256-gcm';

function decrypt(sealed: Uint8Array, about: About, secret: string): Uint8Array | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const text = sealed.subarray(nonceBytes, -tagBytes);
  const decipher = () =>
    createDecipheriv(algorithm, keyOf(secret), sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(bound(about))
      .setAuthTag(sealed.subarray(-tagBytes));
  try {
    // Check the tag first, piece by piece: a planted file of 64 MB must not be copied.
    const check = decipher();
    for (let at = 0; at < text.length; at += pieceBytes) check.update(text.subarray(at, at + pieceBytes));
    check.final();
    // GCM holds nothing back, so `final` would add nothing.
    return decipher().update(text);
  } catch {
    return undefined;
  }
}

const pieceBytes = 65_536;

/** Authenticated data. Every version of the relay uses the same, to read what others wrote; the text has the rest of `About`. */
const bound = ({ id, form }: About) => Buffer.from(JSON.stringify([id, form]));

let latest: { readonly secret: string; readonly key: Buffer } | undefined;

/** A key of its own (RFC 5869), unrelated to other uses of the secret. */
function keyOf(secret: string): Buffer {
  if (latest?.secret !== secret) {
    latest = { secret, key: Buffer.from(hkdfSync('sha256', secret, '', 'form-relay keep', 32)) };
  }
  return latest.key;
}

/** `Kept.assigned`: proves that the owner has assigned an entry to another output. Without KEEP_SECRET, anyone can forge it. */
export function assignment(about: About, keepSecret: string): string {
  const key = Buffer.from(hkdfSync('sha256', keepSecret, '', 'form-relay keep assignment', 32));
  return createHmac('sha256', key).update(written(about)).digest('base64url');
}

/** A canonical text of an entry. */
const written = ({ id, form, output: { place, of, type, fingerprint }, receivedAt }: About) =>
  JSON.stringify([id, form, place, of, type, fingerprint, receivedAt]);

const checksum = (bytes: Uint8Array) =>
  createHash('sha256').update(bytes).digest().subarray(0, checksumBytes);

/** The head of a packed submission, as JSON. The bytes of its files follow. */
interface Head {
  readonly id: string;
  readonly form: string;
  /** Absent in entries from before they named their output. */
  readonly output?: KeptOutput | undefined;
  readonly requestId: string;
  readonly receivedAt: number;
  readonly values: readonly (readonly [name: string, values: readonly string[]])[];
  readonly page?: { readonly url: string; readonly title: string } | undefined;
  readonly hops?: number | undefined;
  readonly files: readonly {
    readonly field: string;
    readonly name: string;
    readonly type: string;
    readonly size: number;
  }[];
}

const lengthBytes = 4;

/** The values of a body of 64 KB as JSON, and the names of its files, take half of it at most. */
const mostHeadBytes = 1_000_000;

function pack(submission: KeptSubmission, { id, form, output }: About): Buffer {
  const { requestId, receivedAt, values, page, files, hops } = submission;
  const all = [...files].flatMap(([field, some]) => some.map((file) => ({ field, file })));
  const head: Head = {
    id,
    form,
    output,
    requestId,
    receivedAt,
    values: [...values],
    page: page && { url: page.url, title: page.title },
    hops,
    files: all.map(({ field, file: { name, type, bytes } }) => ({ field, name, type, size: bytes.length })),
  };
  const written = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(written.length);
  return Buffer.concat([length, written, ...all.map(({ file }) => file.bytes)]);
}

/** The checksum or tag was right, so a mismatch means that another version of the relay packed it. */
function unpack(
  packed: Uint8Array,
  kept: Closed,
  keepSecret: string,
  ownOrigins: Settings['allowedOrigins'],
): Opened<KeptSubmission> {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  try {
    const headBytes = bytes.readUInt32BE();
    // Parsing 30 MB of planted JSON would take 1 GB and half a minute.
    if (headBytes > mostHeadBytes) return err('damaged');
    let at = lengthBytes + headBytes;
    const head: Head = JSON.parse(bytes.toString('utf8', lengthBytes, at));
    if (head.id !== kept.id || head.form !== kept.form || !isSound(head)) return err('damaged');
    if (!isFor(head, kept, keepSecret)) return err('altered');
    const files = new Map<string, UploadedFile[]>();
    for (const { field, name, type, size } of head.files) {
      if (at + size > bytes.length) return err('damaged');
      const file = { name, type, bytes: bytes.subarray(at, at + size) };
      files.set(field, [...(files.get(field) ?? []), file]);
      at += size;
    }
    const url = head.page && parseUrl(head.page.url);
    return ok({
      requestId: head.requestId,
      receivedAt: head.receivedAt,
      values: new Map(head.values),
      page: url && pageAt(url, head.page?.title ?? '', ownOrigins),
      files,
      hops: head.hops,
    });
  } catch {
    return err('damaged');
  }
}

/** Whether the entry agrees with its content, or its owner has assigned it to another output. */
function isFor({ output, receivedAt }: Head, kept: Closed, keepSecret: string): boolean {
  if (receivedAt !== kept.receivedAt) return false;
  if (output === undefined || written({ ...kept, output }) === written(kept)) return true;
  const given = Buffer.from(kept.assigned ?? '');
  const right = Buffer.from(assignment(kept, keepSecret));
  return given.length === right.length && timingSafeEqual(given, right);
}

/**
 * Anyone who can write into a store can forge an entry with a right checksum. So whatever becomes a header, a boundary or a
 * part of a path is checked again.
 */
const isSound = ({ id, output, requestId, receivedAt, values, page, hops, files }: Head) =>
  isId(id) &&
  (output === undefined || readOutput(output) !== undefined) &&
  isId(requestId) &&
  isTime(receivedAt) &&
  values.every(([name, some]) => isText(name) && Array.isArray(some) && some.every(isText)) &&
  (hops === undefined || (Number.isInteger(hops) && hops >= 0)) &&
  (page === undefined || (/^https?:/.test(page.url) && isText(page.title))) &&
  files.every(
    ({ field, name, type, size }) =>
      isText(field) &&
      /^[^/\\\0-\x1f\x7f]{1,200}$/.test(name) &&
      !/^\.{1,2}$/.test(name) &&
      /^[\w.+-]+\/[\w.+-]+$/.test(type) &&
      Number.isInteger(size) &&
      size >= 0,
  );

/** An entry without its content, which stores write in clear. */
export type KeptHead = Omit<Kept, 'content'>;

/** The longest reason that is kept, in characters. */
const mostWords = 1_000;

export function headOf({ content: _, ...head }: Kept): KeptHead {
  const { why } = head;
  if (!why || why.words.length <= mostWords) return head;
  return { ...head, why: { code: why.code, words: why.words.slice(0, mostWords) } };
}

/** Reads what a store returned, which may be damaged, forged or of another version. `undefined` if it is no head. */
export function readHead(found: unknown): KeptHead | undefined {
  const head = found as KeptHead | null;
  if (!isMap(head)) return undefined;
  const { id, form, receivedAt, keptAt, tries, why, assigned } = head;
  const output = readOutput(head.output);
  const isSound =
    isId(id) &&
    isText(form) &&
    isTime(receivedAt) &&
    isTime(keptAt) &&
    isCount(tries) &&
    (why === undefined || (isMap(why) && isText(why.code) && isText(why.words)));
  if (!isSound || !output) return undefined;
  return {
    id,
    form,
    output,
    receivedAt,
    keptAt,
    tries,
    why: why && { code: why.code, words: why.words },
    ...(isText(assigned) && { assigned }),
  };
}

/** `undefined` if it is no output. */
export function readOutput(found: unknown): KeptOutput | undefined {
  if (!isMap(found)) return undefined;
  const { place, of, type, fingerprint } = found as KeptOutput;
  const isSound = isCount(place) && isCount(of) && isText(type) && isText(fingerprint);
  return isSound ? { place, of, type, fingerprint } : undefined;
}

/** An id becomes a header, a boundary and a part of paths. */
const isId = (found: unknown): found is string => isText(found) && /^[\w.:-]{1,200}$/.test(found);

/** Milliseconds since the epoch, within the range of dates. Some clocks count fractions. */
export const isTime = (found: unknown): found is number =>
  typeof found === 'number' && found >= 0 && found <= 8.64e15;

const isMap = (found: unknown): found is object => typeof found === 'object' && found !== null;
export const isText = (found: unknown): found is string => typeof found === 'string';
const isCount = (found: unknown): found is number => Number.isInteger(found) && (found as number) >= 0;

/** Stands for an unreadable entry, of which only its place is known. */
export const unreadableKept = (
  known: Pick<Kept, 'id' | 'form' | 'keptAt'>,
  content: Uint8Array = new Uint8Array(),
): Kept => ({
  ...known,
  output: { place: 0, of: 0, type: '', fingerprint: '' },
  receivedAt: known.keptAt,
  tries: 0,
  why: undefined,
  content,
});

/** `undefined` for anything else that a store may hold. */
export const readAside = (found: unknown): Aside | undefined =>
  (['refused', 'expired', 'unreadable'] satisfies Aside[]).find((one) => one === found);
