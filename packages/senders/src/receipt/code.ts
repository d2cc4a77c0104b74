/**
 * Codes that prove that this relay accepted exactly this content, for this form, at this time (docs/receipts.md). The
 * relay stores nothing: it signs the code, and anyone can verify it with the public key.
 *
 * ```text fr1.contact.20261121T120203Z.<SHA-256 of the content, base64url>.<Ed25519 signature, base64url>
 * ```
 *
 * The signature covers the text before the last dot, in UTF-8.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { Files, Values } from '@form-relay/core/index';

/** A public key as JSON Web Key (RFC 8037), identified by its thumbprint (RFC 7638). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
  readonly kid: string;
}

/** The content of a code with a valid signature. */
export interface Receipt {
  readonly form: string;
  /** Milliseconds since the epoch, in whole seconds. */
  readonly at: number;
  /** SHA-256 of the content, base64url. */
  readonly hash: string;
}

export const receiptCode = (secret: string, receipt: Receipt): string =>
  signed(keyOf(secret, 'real'), receipt);

/** For dropped submissions, which get the same response as others: a code in the same format, signed with an unpublished key. */
export const decoyCode = (secret: string, receipt: Receipt): string =>
  signed(keyOf(secret, 'decoy'), receipt);

function signed(key: KeyObject, { form, at, hash }: Receipt): string {
  const time = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const text = `fr1.${encodeURIComponent(form).replaceAll('.', '%2E')}.${time}.${hash}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

/** `undefined` if the text is not a code, or if none of the keys signed it. */
export function readReceipt(code: string, keys: readonly Pick<PublicJwk, 'x'>[]): Receipt | undefined {
  const [, text = '', form = '', time = '', hash = '', signature = ''] = codeShape.exec(code) ?? [];
  const name = decoded(form);
  const at = Date.parse(time.replace(/^(.{4})(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (name === undefined || Number.isNaN(at)) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  // Two strings can decode to the same base64url bytes, but only one of them was issued.
  if (bytes.toString('base64url') !== signature) return undefined;
  const isSigned = keys.some((jwk) => {
    const key = publicKeyOf(jwk);
    return key !== undefined && verify(null, Buffer.from(text), key, bytes);
  });
  return isSigned ? { form: name, at, hash } : undefined;
}

const codeShape = /^(fr1\.([^.\s]{1,3000})\.(\d{8}T\d{6}Z)\.([\w-]{43}))\.([\w-]{86})$/;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The public keys. The first belongs to the secret that signs. */
export const publicKeys = (secrets: readonly string[]): readonly PublicJwk[] =>
  secrets.map((secret) => {
    const { x = '' } = createPublicKey(keyOf(secret, 'real')).export({ format: 'jwk' });
    const named = { crv: 'Ed25519', kty: 'OKP', x } as const;
    const kid = createHash('sha256').update(JSON.stringify(named)).digest('base64url');
    return { ...named, use: 'sig', alg: 'EdDSA', kid };
  });

function publicKeyOf({ x }: Pick<PublicJwk, 'x'>): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** For each field, its values, or the SHA-256 of its files. */
export type Content = readonly (readonly [name: string, values: readonly string[]])[];

/** The fields that the visitor filled in, without hidden ones. */
export const contentOf = (
  fields: readonly { readonly name: string; readonly type: string }[],
  values: Values,
  files: Files,
): Content =>
  fields
    .filter(({ type }) => type !== 'hidden')
    .map(({ name }) => [
      name,
      files.get(name)?.map(({ bytes }) => fileHash(bytes)) ?? values.get(name) ?? [],
    ]);

export const fileHash = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * SHA-256 of the content as JSON without spaces (RFC 8785): a list of `[name, [value, …]]`, sorted by name (UTF-16), with LF for
 * line breaks and without empty values.
 */
export function contentHash(content: Content): string {
  const filled = content
    .map(([name, values]) => [name, values.map(inLf).filter((value) => value !== '')] as const)
    .filter(([, values]) => values.length > 0)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(filled)).digest('base64url');
}

const inLf = (text: string) => text.replaceAll(/\r\n?/g, '\n');

/** Keyed by use and secret. RECEIPT_SECRET contains only a few. */
const known = new Map<string, KeyObject>();

function keyOf(secret: string, use: 'real' | 'decoy'): KeyObject {
  const name = `${use}\0${secret}`;
  const key = known.get(name) ?? derived(secret, use);
  known.set(name, key);
  return key;
}

/** Derived with HKDF (RFC 5869), so that other uses of the secret reveal nothing about the keys. */
function derived(secret: string, use: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', `form-relay receipt ${use}`, 32));
  return createPrivateKey({ key: Buffer.concat([pkcs8Ed25519, seed]), format: 'der', type: 'pkcs8' });
}

/** The prefix for a private key's 32 bytes (RFC 8410, 7). */
const pkcs8Ed25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
