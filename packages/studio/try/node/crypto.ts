/** Stands in for `node:crypto` in a browser, whose own functions answer later than the relay asks. */
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { Buffer } from './buffer.ts';

type Data = string | Uint8Array;
type Encoding = 'hex' | 'base64' | 'base64url';

const algorithms = { md5, sha1, sha256, sha512 };
type Algorithm = keyof typeof algorithms;

/** Noble takes no subclass whose slices are windows. */
export const bytesOf = (data: Data, encoding?: string): Uint8Array => {
  const { buffer, byteOffset, byteLength } = Buffer.from(data, encoding);
  return new Uint8Array(buffer, byteOffset, byteLength);
};

interface Hasher {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** As Node's streams of bytes to hash. */
class Hash {
  readonly #hasher: Hasher;

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  update(data: Data, encoding?: string): this {
    this.#hasher.update(bytesOf(data, encoding));
    return this;
  }

  digest(): Buffer;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): Buffer | string {
    const digest = Buffer.from(this.#hasher.digest());
    return encoding ? digest.toString(encoding) : digest;
  }
}
export type Hmac = Hash;

export const createHash = (algorithm: Algorithm) => new Hash(algorithms[algorithm].create());
export const createHmac = (algorithm: Algorithm, key: Data) =>
  new Hash(hmac.create(algorithms[algorithm], bytesOf(key)));
/** A key is its bytes here. */
export const createSecretKey = (bytes: Uint8Array) => bytes;
export const hash = (algorithm: Algorithm, data: Data, encoding: Encoding = 'hex') =>
  createHash(algorithm).update(data).digest(encoding);

export const hkdfSync = (algorithm: Algorithm, key: Data, salt: Data, info: Data, length: number) => {
  const derived = hkdf(algorithms[algorithm], bytesOf(key), bytesOf(salt), bytesOf(info), length);
  return derived.buffer.slice(derived.byteOffset, derived.byteOffset + length);
};

export const randomBytes = (size: number) => crypto.getRandomValues(Buffer.alloc(size));

/** RFC 9562, 5.4. `crypto.randomUUID` is only there on pages with HTTPS. */
export function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 15) | 64;
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Not in constant time: a page that could measure it holds both texts already. */
export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) throw new RangeError('not of the same length');
  return one.every((byte, index) => byte === other[index]);
}

/** No mail is signed here (dkim.ts), so any text does for a key. */
export const generateKeyPairSync = () => ({ privateKey: { export: () => 'made up' } });
export const createPrivateKey = () => ({
  asymmetricKeyType: 'rsa',
  asymmetricKeyDetails: { modulusLength: 2_048 },
});

/** Nothing is encrypted here: what would be is shown in clear. */
export const createPublicKey = () => ({});
/** Takes each point for one that is good. */
export const diffieHellman = () => Buffer.alloc(32);
