/** HTTP Message Signatures of requests (RFC 9421): the text covered by a signature, and its verification with a key. */
import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import {
  type Dictionary,
  type InnerList,
  type Item,
  isInnerList,
  parseDictionary,
  serializeInnerList,
  serializeItem,
} from 'structured-headers';

export interface SignedRequest {
  readonly method: string;
  /** The origin to which the client sent the request: `https://forms.example.com`. */
  readonly origin: string;
  /** The path as sent, percent-encoded. */
  readonly path: string;
  /** The query as sent, without `?`. */
  readonly query: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** A dictionary of structured fields (RFC 9651). `undefined`: the header is not a dictionary. */
export function readDictionary(header: string | undefined): Dictionary | undefined {
  try {
    return parseDictionary(header ?? '');
  } catch {
    return undefined;
  }
}

/** Each component may require a search through a whole header or query. */
const mostComponents = 32;

/**
 * The text that is signed. `undefined`: the signature covers a component twice, too many components, or one
 * that is missing from the request or unknown to this relay.
 */
export function signatureBase(request: SignedRequest, input: InnerList): string | undefined {
  if (input[0].length > mostComponents) return undefined;
  const lines = new Map<string, string>();
  for (const component of input[0]) {
    const name = serializeItem(component);
    const value = componentValue(component, request);
    if (value === undefined || lines.has(name)) return undefined;
    lines.set(name, `${name}: ${value}`);
  }
  return [...lines.values(), `"@signature-params": ${serializeInnerList(input)}`].join('\n');
}

function componentValue([name, parameters]: Item, request: SignedRequest): string | undefined {
  if (typeof name !== 'string') return undefined;
  const { method, origin: own, path, query, headers } = request;
  if (name === '@query-param')
    return parameters.size === 1 ? valueInQuery(query, parameters.get('name')) : undefined;
  if (name.startsWith('@')) {
    const search = query === '' ? '' : `?${query}`;
    const { host, protocol } = new URL(own);
    const derived: Readonly<Record<string, string>> = {
      '@method': method,
      '@authority': host,
      '@scheme': protocol.slice(0, -1),
      '@target-uri': `${own}${path}${search}`,
      '@request-target': `${path}${search}`,
      '@path': path,
      '@query': `?${query}`,
    };
    return parameters.size === 0 ? derived[name] : undefined;
  }
  const header = Object.hasOwn(headers, name) ? headers[name]?.trim() : undefined;
  if (parameters.size === 0) return header;
  const key = parameters.get('key');
  const member =
    parameters.size === 1 && typeof key === 'string' ? readDictionary(header)?.get(key) : undefined;
  return member && (isInnerList(member) ? serializeInnerList(member) : serializeItem(member));
}

/** RFC 9421, 2.2.8. */
function valueInQuery(query: string, name: unknown): string | undefined {
  const encoded = (text: string) => `${new URLSearchParams([['', text]])}`.slice(1).replaceAll('+', '%20');
  const [value, ...others] = [...new URLSearchParams(query)].filter(([one]) => encoded(one) === name);
  return value && others.length === 0 ? encoded(value[1]) : undefined;
}

/** Whether a `Content-Digest` (RFC 9530) matches the body. Digests in unknown algorithms are ignored. */
export function isDigestOf(header: string | undefined, body: Uint8Array): boolean {
  const known = [...(readDictionary(header) ?? [])].flatMap(([name, member]) => {
    const algorithm = digests.get(name);
    return algorithm === undefined
      ? []
      : [bytesIn(member)?.equals(createHash(algorithm).update(body).digest()) === true];
  });
  return known.length > 0 && known.every(Boolean);
}

const digests = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);

/** The value of a member, if that is a byte sequence. */
export const bytesIn = (member: Item | InnerList | undefined): Buffer<ArrayBuffer> | undefined =>
  member && !isInnerList(member) && member[0] instanceof ArrayBuffer ? Buffer.from(member[0]) : undefined;

export interface Key {
  /** The algorithm's name in `alg` of a signature. */
  readonly algorithm: string;
  verifies(signature: Uint8Array<ArrayBuffer>, text: string): Promise<boolean>;
}

/**
 * A public key, with its thumbprint (RFC 7638). `undefined`: the JWK is invalid, unsupported, too weak, or
 * not for signatures. Shared secrets are not public keys.
 */
export function readKey(
  jwk: Readonly<Record<string, unknown>>,
): readonly [thumbprint: string, Key] | undefined {
  const kind = kinds.find(({ is }) => Object.entries(is).every(([name, value]) => jwk[name] === value));
  if (!kind || (jwk.use !== undefined && jwk.use !== 'sig')) return undefined;
  const { algorithm, web } = kind;
  const parts: JsonWebKey = Object.fromEntries(
    [...Object.keys(kind.is), ...kind.parts].toSorted().map((name) => [name, jwk[name]]),
  );
  const modulus = parts.n === undefined ? leastModulus : Buffer.from(parts.n, 'base64url').length;
  if (modulus < leastModulus || modulus > mostModulus) return undefined;
  let key: KeyObject;
  try {
    key = createPublicKey({ key: parts, format: 'jwk' });
  } catch {
    return undefined;
  }
  const thumbprint = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  const verifies: Key['verifies'] = async (signature, text) => {
    const bytes = Buffer.from(text);
    if (!web) return verify(null, bytes, key, signature);
    const { subtle } = crypto;
    return subtle.verify(web, await subtle.importKey('jwk', parts, web, false, ['verify']), signature, bytes);
  };
  return [thumbprint, { algorithm, verifies }];
}

/** In bytes. */
const leastModulus = 256;
const mostModulus = 1_024;

/** `web`: the algorithm's name in Web Crypto, for kinds where Node's own functions work only in Node. */
const kinds = [
  { is: { kty: 'OKP', crv: 'Ed25519' }, parts: ['x'], algorithm: 'ed25519', web: undefined },
  {
    is: { kty: 'EC', crv: 'P-256' },
    parts: ['x', 'y'],
    algorithm: 'ecdsa-p256-sha256',
    web: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  },
  {
    is: { kty: 'RSA' },
    parts: ['e', 'n'],
    algorithm: 'rsa-pss-sha512',
    web: { name: 'RSA-PSS', hash: 'SHA-512', saltLength: 64 },
  },
] as const;
