import { ClientError } from '@form-relay/base/client_error';
import { publicDkimKey } from '@form-relay/clients/mail/dkim_key';
import { type Diagnosis, type DnsRecord, failure, ok, warning } from './diagnosis.ts';
import type { Dns } from './dns.ts';
import { tagsOf } from './tags.ts';

export interface DkimSigner {
  readonly domain: string;
  readonly selector: string;
  /** The private key, as PEM; empty if it is not set. */
  readonly key: string;
  /** The environment variables that hold the key, in words. */
  readonly variable: string;
  /** The place in the config that says how to sign. */
  readonly place: string;
}

/** Checks whether receivers find the public key, and whether it belongs to the private one (RFC 6376, 3.6). */
export async function dkimOf(signer: DkimSigner, dns: Dns): Promise<Diagnosis> {
  const { domain, selector, variable, place } = signer;
  const name = `${selector}._domainkey.${domain}`;
  const subject = `DKIM of ${domain}, selector ${selector}`;
  const key = publicKeyOf(signer.key);
  if (key === undefined) return warning(subject, 'not looked at without its key', `Set ${variable}.`);
  if (key instanceof ClientError) {
    const says = `${key.message}, so nothing is delivered (${place})`;
    return failure(subject, says, `Make one: openssl genrsa 2048. All that it prints goes into ${variable}.`);
  }
  const record = recordOf(name, key);
  const published = (await dns.texts(name)).filter(isKeyRecord);
  const [text] = published;
  const unsigned = 'receivers take each mail for unsigned';
  if (text === undefined) {
    return { ...warning(subject, `there is no key at ${name}: ${unsigned}`, publish), record };
  }
  if (published.length > 1) {
    const says = `there are ${published.length} keys at ${name}, and one is allowed: ${unsigned}`;
    return { ...warning(subject, says, 'Leave this record there alone:'), record };
  }
  const wrong = wrongWith(text, key, variable);
  if (wrong) return { ...warning(subject, `${wrong}: ${unsigned}`, replace), record };
  if (tagsOf(text).get('t')?.split(':').includes('y')) {
    const says = 'the record says that it is a test (t=y), so receivers may ignore it';
    return { ...warning(subject, says, replace), record };
  }
  return ok(subject, `the key in the DNS belongs to ${variable}`);
}

const publish = 'Publish this record in the DNS:';
const replace = 'Replace it by this record:';

/** In base64, as in the DNS; `undefined` if there is no private key. */
function publicKeyOf(pem: string): string | ClientError | undefined {
  if (pem === '') return undefined;
  try {
    return publicDkimKey(pem);
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
}

const recordOf = (name: string, key: string): DnsRecord => ({
  name,
  type: 'TXT',
  value: `v=DKIM1; k=rsa; p=${key}`,
});

const isKeyRecord = (text: string) => /(^|;)\s*p\s*=/.test(text);

/** The reason why receivers can't check a signature with this record. */
function wrongWith(text: string, key: string, variable: string): string | undefined {
  const tags = tagsOf(text);
  const list = (name: string) =>
    tags
      .get(name)
      ?.split(':')
      .map((one) => one.trim());
  const published = tags.get('p')?.replaceAll(/\s/g, '');
  if (published === '') return 'the key in the DNS was revoked (p= is empty)';
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1') return `the record is of another version (v=${tags.get('v')})`;
  if ((tags.get('k') ?? 'rsa') !== 'rsa') return `the key in the DNS is of another kind (k=${tags.get('k')})`;
  if (list('h')?.includes('sha256') === false) return 'the record does not allow SHA-256 (h=)';
  if (list('s')?.some((service) => ['*', 'email'].includes(service)) === false)
    return 'the record is not for mail (s=)';
  return published === key ? undefined : `the key in the DNS is not that of ${variable}`;
}
