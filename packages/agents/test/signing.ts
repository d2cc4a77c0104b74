/** An agent with keys. Another library creates its signatures. */
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  sign,
} from 'node:crypto';
import { createSignature, type RequestDescriptor } from 'http-message-sig';
import { readKey } from '../src/signature.ts';

export type AgentKey = ReturnType<typeof keyOf>;

export const keyOf = ({ publicKey, privateKey }: KeyPairKeyObjectResult) => {
  const jwk = publicKey.export({ format: 'jwk' });
  return { jwk, privateKey, keyid: readKey(jwk as Record<string, unknown>)?.[0] ?? '' };
};

export const key = keyOf(generateKeyPairSync('ed25519'));
export const other = keyOf(generateKeyPairSync('ed25519'));
export const ofCurve = keyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
export const ofRsa = keyOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }));

export const keysIn = (...jwks: readonly object[]) => ({ body: JSON.stringify({ keys: jwks }) });

export const formUrl = 'https://forms.example.com/api/v1/submit/contact';
export const components = [
  ...['@method', '@authority', '@path', 'content-digest'],
  { name: 'signature-agent', parameters: { key: 'a' } },
];

export interface Signing {
  readonly body?: string;
  /** How far the signer's clock is ahead. */
  readonly aheadMs?: number;
  readonly by?: AgentKey;
  readonly agent?: string;
  readonly components?: typeof components;
  readonly parameters?: object;
  readonly url?: string;
}

type Signed = Record<
  'content-type' | 'content-digest' | 'signature-agent' | 'signature' | 'signature-input',
  string
>;

let count = 0;

export async function signed({
  body = 'name=Ada',
  aheadMs = 0,
  by = key,
  agent = 'a="https://agent.example"',
  ...more
}: Signing = {}): Promise<Signed> {
  const created = Math.floor((Date.now() + aheadMs) / 1_000);
  count += 1;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
    'signature-agent': agent,
  };
  const message: RequestDescriptor = {
    kind: 'request',
    method: 'POST',
    targetUri: more.url ?? formUrl,
    fields: Object.entries(headers).map(([name, value]) => ({ name, value })),
  };
  const { algorithm, make } = makers[by.privateKey.asymmetricKeyType as keyof typeof makers];
  const { signature, signatureInput } = await createSignature(message, {
    components: more.components ?? components,
    parameters: {
      ...{ created, expires: created + 300, keyid: by.keyid, alg: algorithm },
      ...{ tag: 'web-bot-auth', nonce: `n${count}` },
      ...more.parameters,
    },
    signer: { algorithm, sign: (data) => make(data, by.privateKey) },
  });
  return { ...headers, signature, 'signature-input': signatureInput };
}

type Make = (data: Uint8Array, key: KeyObject) => Buffer;
const makers: Readonly<
  Record<'ed25519' | 'ec' | 'rsa', { readonly algorithm: string; readonly make: Make }>
> = {
  ed25519: { algorithm: 'ed25519', make: (data, key) => sign(null, data, key) },
  ec: {
    algorithm: 'ecdsa-p256-sha256',
    make: (data, key) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
  },
  rsa: {
    algorithm: 'rsa-pss-sha512',
    make: (data, key) => sign('sha512', data, { key, padding: 6, saltLength: 64 }),
  },
};
