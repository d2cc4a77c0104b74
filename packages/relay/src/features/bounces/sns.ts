/** Signatures of Amazon SNS. */
import { verify, X509Certificate } from 'node:crypto';
import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import { textOf } from './json.ts';

type Envelope = Readonly<Record<string, unknown>>;

/** The host of a topic's region. @param arn Of a topic in the config. */
export function snsHostOf(arn: string): string {
  const [, partition, , region] = arn.split(':');
  return `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
}

/**
 * Whether the certificate is another's. The host also serves answers of the API, which may hold anybody's text, so that the path
 * counts as much as the host does.
 */
export function certificateProblem(
  { SigningCertURL: address }: Envelope,
  arn: string,
): 'foreign_certificate' | undefined {
  const prefix = `https://${snsHostOf(arn)}/SimpleNotificationService-`;
  const found = textOf(address);
  const isOurs = found.startsWith(prefix) && /^[0-9a-f]{8,64}\.pem$/.test(found.slice(prefix.length));
  return isOurs ? undefined : 'foreign_certificate';
}

/** The algorithms of each `SignatureVersion`. */
const algorithms: ReadonlyMap<string, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
]);

/** Checks the signature. Rejects with a `ClientError` if the certificate cannot be fetched. */
export async function isSigned(envelope: Envelope, effects: Pick<Effects, 'http' | 'now'>): Promise<boolean> {
  const algorithm = algorithms.get(textOf(envelope.SignatureVersion));
  const signature = textOf(envelope.Signature);
  if (algorithm === undefined || signature === '') return false;
  const certificate = await certificateAt(textOf(envelope.SigningCertURL), effects);
  const text = Buffer.from(signedText(envelope));
  return verify(algorithm, text, certificate.publicKey, Buffer.from(signature, 'base64'));
}

const ofNotification = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const ofSubscription = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

function signedText(envelope: Envelope): string {
  const names = envelope.Type === 'Notification' ? ofNotification : ofSubscription;
  const signed = names.filter((name) => envelope[name] !== undefined && envelope[name] !== null);
  return signed.map((name) => `${name}\n${textOf(envelope[name])}\n`).join('');
}

/** Amazon has one a region at a time. */
const mostCertificates = 8;
const known = new WeakMap<Effects['http'], Fetched>();

class Fetched {
  readonly certificates = new Map<string, X509Certificate>();
  /** When certificates were last fetched, the oldest first. */
  readonly times: number[] = [];
}

/** Made-up addresses must not have the relay ask Amazon more often than this. */
const mostFetches = 10;
const fetchesMs = 60_000;

const timeoutMs = 5_000;

async function certificateAt(
  address: string,
  { http, now }: Pick<Effects, 'http' | 'now'>,
): Promise<X509Certificate> {
  const fetched = known.get(http) ?? new Fetched();
  known.set(http, fetched);
  const { certificates, times } = fetched;
  const found = certificates.get(address);
  if (found) return found;
  const at = now();
  while (times.length > 0 && !(at - (times[0] ?? 0) < fetchesMs)) times.shift();
  if (times.length >= mostFetches) throw failed('sns_certificate_unread');
  times.push(at);
  const answer = await http({ method: 'GET', url: new URL(address), headers: {}, body: '', timeoutMs });
  if (answer.status !== 200 || answer.isCut) throw failed('sns_certificate_unread');
  const certificate = read(answer.body);
  const [oldest] = certificates.keys();
  if (certificates.size >= mostCertificates && oldest !== undefined) certificates.delete(oldest);
  certificates.set(address, certificate);
  return certificate;
}

function read(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw failed('sns_certificate_unread');
  }
}
