import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Files, UploadedFile } from '../files.ts';
import type { Kept, Opened } from '../kept.ts';
import { pageAt } from '../page_context.ts';
import { err, ok } from '../result.ts';
import type { Settings } from '../settings/settings.ts';
import type { Submission } from '../submission.ts';
import { readRecipient } from '../transports/archive/recipient.ts';
import { seal } from '../transports/archive/seal.ts';
import { parseUrl } from '../url.ts';
import { isId, isText, isTime } from './head.ts';

/** All of a submission that its deliveries need. */
export interface KeptSubmission extends Pick<Submission, 'requestId' | 'receivedAt' | 'values' | 'page'> {
  readonly files: Files;
}

/** What says whose content it is: nobody can give it to another form, or to another of its outputs. */
type About = Pick<Kept, 'id' | 'form'>;

/** How it is kept from those who can read the store. */
export interface Sealing {
  /** Public keys: their owners alone can read it. Empty: nobody's. */
  readonly sealTo: readonly string[];
  /** KEEP_SECRET: every relay that has it can read it. Empty: it lies there in clear. */
  readonly keepSecret: string;
}

/** The first byte says how to read the rest. */
const kinds = { clear: 1, secret: 2, sealed: 3 } as const;

const checksumBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** A submission as bytes. What is sealed is in the age format, and `age --decrypt` opens it after the first byte. */
export function packContent(submission: KeptSubmission, about: About, sealing: Sealing): Uint8Array {
  const clear = pack(submission, about);
  if (sealing.sealTo.length > 0) {
    const recipients = sealing.sealTo.map((text) => {
      const recipient = readRecipient(text);
      if (!recipient.ok) throw new Error(`a key that was checked is none: ${recipient.error}`);
      return recipient.value;
    });
    return Buffer.concat([Buffer.of(kinds.sealed), ...seal(clear, recipients).pieces()]);
  }
  if (sealing.keepSecret === '') return Buffer.concat([Buffer.of(kinds.clear), checksum(clear), clear]);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(sealing.keepSecret), nonce);
  cipher.setAAD(bound(about));
  const text = [cipher.update(clear), cipher.final()];
  return Buffer.concat([Buffer.of(kinds.secret), nonce, ...text, cipher.getAuthTag()]);
}

/** Whether nobody but its owner can read it. */
export const isSealed = (content: Uint8Array): boolean => content[0] === kinds.sealed;

/** @param unseal Opens what is in the age format; without it, that stays shut. */
export async function openContent(
  { content, id, form }: Pick<Kept, 'content' | 'id' | 'form'>,
  { keepSecret, allowedOrigins }: Pick<Settings, 'keepSecret' | 'allowedOrigins'>,
  unseal?: (sealed: Uint8Array) => Promise<Opened<Uint8Array>>,
): Promise<Opened<KeptSubmission>> {
  const rest = content.subarray(1);
  switch (content[0]) {
    case kinds.clear: {
      const clear = rest.subarray(checksumBytes);
      const isWhole = checksum(clear).equals(rest.subarray(0, checksumBytes));
      return isWhole ? unpack(clear, { id, form }, allowedOrigins) : err('damaged');
    }
    case kinds.secret: {
      if (keepSecret === '') return err('no_secret');
      const clear = decrypt(rest, { id, form }, keepSecret);
      return clear ? unpack(clear, { id, form }, allowedOrigins) : err('other_secret');
    }
    case kinds.sealed: {
      if (!unseal) return err('sealed');
      const clear = await unseal(rest);
      return clear.ok ? unpack(clear.value, { id, form }, allowedOrigins) : clear;
    }
    default:
      return err('damaged');
  }
}

const algorithm = 'aes-256-gcm';

function decrypt(sealed: Uint8Array, about: About, secret: string): Uint8Array | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv(algorithm, keyOf(secret), sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(bound(about));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

const bound = ({ id, form }: About) => Buffer.from(JSON.stringify([id, form]));

let latest: { readonly secret: string; readonly key: Buffer } | undefined;

/** RFC 5869: a key of its own, so that nothing that the secret does elsewhere says anything about it. */
function keyOf(secret: string): Buffer {
  if (latest?.secret !== secret) {
    latest = { secret, key: Buffer.from(hkdfSync('sha256', secret, '', 'form-relay keep', 32)) };
  }
  return latest.key;
}

const checksum = (bytes: Uint8Array) =>
  createHash('sha256').update(bytes).digest().subarray(0, checksumBytes);

/** The head, as JSON. The bytes of files follow it, one after the other. */
interface Head {
  readonly id: string;
  readonly form: string;
  readonly requestId: string;
  readonly receivedAt: number;
  readonly values: readonly (readonly [name: string, values: readonly string[]])[];
  readonly page?: { readonly url: string; readonly title: string } | undefined;
  readonly files: readonly {
    readonly field: string;
    readonly name: string;
    readonly type: string;
    readonly size: number;
  }[];
}

const lengthBytes = 4;

function pack(submission: KeptSubmission, { id, form }: About): Buffer {
  const { requestId, receivedAt, values, page, files } = submission;
  const all = [...files].flatMap(([field, some]) => some.map((file) => ({ field, file })));
  const head: Head = {
    id,
    form,
    requestId,
    receivedAt,
    values: [...values],
    page: page && { url: page.url, title: page.title },
    files: all.map(({ field, file: { name, type, bytes } }) => ({ field, name, type, size: bytes.length })),
  };
  const written = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(written.length);
  return Buffer.concat([length, written, ...all.map(({ file }) => file.bytes)]);
}

/** What was packed was whole, so anything that does not fit was packed by another version of the relay. */
function unpack(
  packed: Uint8Array,
  about: About,
  ownOrigins: Settings['allowedOrigins'],
): Opened<KeptSubmission> {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  try {
    let at = lengthBytes + bytes.readUInt32BE();
    const head: Head = JSON.parse(bytes.toString('utf8', lengthBytes, at));
    if (head.id !== about.id || head.form !== about.form || !isSound(head)) return err('damaged');
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
    });
  } catch {
    return err('damaged');
  }
}

/**
 * Who can write into a store can make entries up, and a checksum fits whatever it was made of. So what becomes a header, a
 * boundary or a part of a path is looked at once more: it is as the relay makes it.
 */
const isSound = ({ id, requestId, receivedAt, values, page, files }: Head) =>
  isId(id) &&
  isId(requestId) &&
  isTime(receivedAt) &&
  values.every(([name, some]) => isText(name) && Array.isArray(some) && some.every(isText)) &&
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
