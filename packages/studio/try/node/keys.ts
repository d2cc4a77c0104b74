/** Stands in for `node:crypto` in a browser for those who sign and encrypt, which most forms do without. */
import { gcm } from '@noble/ciphers/aes.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { Buffer } from './buffer.ts';
import { bytesOf } from './crypto.ts';

export { createHash, createHmac, createSecretKey, hkdfSync } from './crypto.ts';

/** AES-256-GCM, of which nothing comes before its end. */
class Cipher {
  readonly #isOpening: boolean;
  readonly #key: Uint8Array;
  readonly #nonce: Uint8Array;
  #about = new Uint8Array();
  #tag = Buffer.alloc(0);
  #pieces: Uint8Array[] = [];

  constructor(isOpening: boolean, key: Uint8Array, nonce: Uint8Array) {
    this.#isOpening = isOpening;
    this.#key = bytesOf(key);
    this.#nonce = bytesOf(nonce);
  }

  setAAD(about: Uint8Array): void {
    this.#about = Uint8Array.from(about);
  }

  setAuthTag(tag: Uint8Array): void {
    this.#tag = Buffer.from(tag);
  }

  getAuthTag(): Buffer {
    return this.#tag;
  }

  update(piece: Uint8Array): Buffer {
    this.#pieces.push(piece);
    return Buffer.alloc(0);
  }

  /** Throws for what was changed. */
  final(): Buffer {
    const cipher = gcm(this.#key, this.#nonce, this.#about);
    const whole = bytesOf(Buffer.concat(this.#pieces));
    if (this.#isOpening) return Buffer.from(cipher.decrypt(bytesOf(Buffer.concat([whole, this.#tag]))));
    const sealed = Buffer.from(cipher.encrypt(whole));
    this.#tag = sealed.subarray(-16) as Buffer;
    return sealed.subarray(0, -16) as Buffer;
  }
}

export const createCipheriv = (_: string, key: Uint8Array, nonce: Uint8Array) =>
  new Cipher(false, key, nonce);
export const createDecipheriv = (_: string, key: Uint8Array, nonce: Uint8Array) =>
  new Cipher(true, key, nonce);

/** A key of Ed25519, from its 32 bytes, or of another kind, which is not used here. */
export interface KeyObject {
  readonly seed?: Uint8Array;
  readonly point?: Uint8Array;
  export(): { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
}

const publicKey = (point: Uint8Array): KeyObject => ({
  point,
  export: () => ({ kty: 'OKP', crv: 'Ed25519', x: Buffer.from(point).toString('base64url') }),
});

/** Throws for all but a key of Ed25519 in PKCS #8, whose last 32 bytes it is. */
export function createPrivateKey(given: string | { readonly key: Uint8Array }): KeyObject {
  if (typeof given === 'string') throw new TypeError('keys of RSA are not read here');
  const seed = bytesOf(given.key).slice(-32);
  return { ...publicKey(ed25519.getPublicKey(seed)), seed };
}

export const createPublicKey = (given: KeyObject | { readonly key: { readonly x: string } }): KeyObject =>
  'key' in given ? publicKey(bytesOf(given.key.x, 'base64url')) : publicKey(given.point ?? new Uint8Array());

export const sign = (_: null, data: Uint8Array, { seed = new Uint8Array() }: KeyObject) =>
  Buffer.from(ed25519.sign(bytesOf(data), seed));

export const verify = (_: null, data: Uint8Array, { point = new Uint8Array() }: KeyObject, by: Uint8Array) =>
  ed25519.verify(bytesOf(by), bytesOf(data), point);
