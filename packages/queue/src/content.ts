import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { err, ok, type Result } from '@form-relay/base/result';
import { parseUrl } from '@form-relay/base/url';
import type { Files, Page, Settings, UploadedFile, Values } from '@form-relay/core/index';
import { pageAt } from '@form-relay/schema/template';
import { isId, isText, isTime, readOutput } from '@form-relay/stores/entry';
import type { Queued, QueuedOutput } from '@form-relay/stores/store';

/** Why an entry's content cannot be used. */
export type ContentProblem =
  | 'damaged'
  | 'other_secret'
  | 'no_secret'
  /** If KEEP_SECRET is set, an unencrypted entry may be forged. */
  | 'unencrypted'
  /** The entry does not match its content. */
  | 'altered';
type Opened<T> = Result<T, ContentProblem>;

/** The part of a submission that deliveries need. */
export interface QueuedSubmission {
  readonly requestId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly values: Values;
  readonly files: Files;
  /** The page with the form, if the form has `page: true`. */
  readonly page?: Page | undefined;
  /** The number of relays that it passed. */
  readonly hops?: number | undefined;
}

/** The facts of an entry that never change. The content repeats them, so that it cannot be moved to another output. */
type About = Pick<Queued, 'id' | 'form' | 'output' | 'receivedAt'>;

type Closed = About & Pick<Queued, 'content' | 'assigned'>;

/** The first byte of the content. */
const kinds = { clear: 1, secret: 2 } as const;

const checksumBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** Packs a submission into bytes. @param keepSecret KEEP_SECRET, which every relay needs to read it. Empty: not encrypted. */
export function packContent(submission: QueuedSubmission, about: About, keepSecret: string): Uint8Array {
  const clear = pack(submission, about);
  if (keepSecret === '') return Buffer.concat([Buffer.of(kinds.clear), checksum(clear), clear]);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(keepSecret), nonce);
  cipher.setAAD(bound(about));
  const text = [cipher.update(clear), cipher.final()];
  return Buffer.concat([Buffer.of(kinds.secret), nonce, ...text, cipher.getAuthTag()]);
}

/** The settings and keys that are needed to open contents. */
export interface ContentKeys extends Pick<Settings, 'allowedOrigins'> {
  /** KEEP_SECRET; empty if it is not set. */
  readonly keepSecret: string;
}

export function openContent(
  kept: Closed,
  { keepSecret, allowedOrigins }: ContentKeys,
): Opened<QueuedSubmission> {
  const { content } = kept;
  const unpacked = (clear: Uint8Array) => unpack(clear, kept, keepSecret, allowedOrigins);
  const rest = content.subarray(1);
  switch (content[0]) {
    case kinds.clear: {
      // A checksum does not authenticate: anyone can compute it.
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
    // Check the tag first, piece by piece, because a planted file of 64 MB must not be copied.
    const check = decipher();
    for (let at = 0; at < text.length; at += pieceBytes) check.update(text.subarray(at, at + pieceBytes));
    check.final();
    // GCM is a stream cipher, so `update` returns all the text, and `final` is not needed.
    return decipher().update(text);
  } catch {
    return undefined;
  }
}

const pieceBytes = 65_536;

/**
 * Authenticated data, the same in every version of the relay, so that each can read what others wrote. The
 * encrypted text has the rest of `About`.
 */
const bound = ({ id, form }: About) => Buffer.from(JSON.stringify([id, form]));

let latest: { readonly secret: string; readonly key: Buffer } | undefined;

/** Derives a key (RFC 5869) that is unrelated to other uses of the secret. */
function keyOf(secret: string): Buffer {
  if (latest?.secret !== secret) {
    latest = { secret, key: Buffer.from(hkdfSync('sha256', secret, '', 'form-relay keep', 32)) };
  }
  return latest.key;
}

/**
 * The value of `Queued.assigned`, which proves that the owner has assigned the entry to another output.
 * Without KEEP_SECRET, anyone can forge it.
 */
export function assignment(about: About, keepSecret: string): string {
  const key = Buffer.from(hkdfSync('sha256', keepSecret, '', 'form-relay keep assignment', 32));
  return createHmac('sha256', key).update(written(about)).digest('base64url');
}

/** A canonical text of an entry. */
const written = ({ id, form, output: { place, of, type, fingerprint }, receivedAt }: About) =>
  JSON.stringify([id, form, place, of, type, fingerprint, receivedAt]);

const checksum = (bytes: Uint8Array) =>
  createHash('sha256').update(bytes).digest().subarray(0, checksumBytes);

/** The JSON header of a packed submission, followed by the bytes of its files. */
interface Head {
  readonly id: string;
  readonly form: string;
  readonly output: QueuedOutput;
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

/** The maximum size of a header: twice what a body of 64 KB and the names of its files take as JSON. */
const mostHeadBytes = 1_000_000;

function pack(submission: QueuedSubmission, { id, form, output }: About): Buffer {
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

/** Unpacks a submission after its checksum or tag was checked, so a mismatch means that another version of the relay packed it. */
function unpack(
  packed: Uint8Array,
  kept: Closed,
  keepSecret: string,
  ownOrigins: Settings['allowedOrigins'],
): Opened<QueuedSubmission> {
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

/** Whether the entry matches its content, or the owner has assigned it to another output. */
function isFor({ output, receivedAt }: Head, kept: Closed, keepSecret: string): boolean {
  if (receivedAt !== kept.receivedAt) return false;
  if (written({ ...kept, output }) === written(kept)) return true;
  const given = Buffer.from(kept.assigned ?? '');
  const right = Buffer.from(assignment(kept, keepSecret));
  return given.length === right.length && timingSafeEqual(given, right);
}

/**
 * Checks again everything that becomes a header, a boundary or a part of a path: anyone who can write to a
 * store can forge an entry with a correct checksum.
 */
const isSound = ({ id, output, requestId, receivedAt, values, page, hops, files }: Head) =>
  isId(id) &&
  readOutput(output) !== undefined &&
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
