import DKIM from 'nodemailer/lib/dkim';
import type { Dkim } from '../../effects.ts';
import { readDkimKey } from './dkim_key.ts';

/**
 * The mail with a signature before its headers (RFC 6376), which nodemailer makes: RSA and SHA-256, headers and body
 * "relaxed" (D89). Throws a `ClientError` for what is no such key.
 *
 * @param source As it follows DATA, before dot-stuffing (RFC 6376, 5.3).
 */
export async function signed(source: string, { domain, selector, key }: Dkim): Promise<string> {
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey: readDkimKey(key) });
  let mail = '';
  for await (const chunk of signer.sign(Buffer.from(source, 'latin1'))) {
    mail += (chunk as Buffer).toString('latin1');
  }
  return mail;
}
