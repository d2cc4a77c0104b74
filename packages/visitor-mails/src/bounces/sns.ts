import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { LatestMap } from '@form-relay/clients/latest_map';
import type { Services } from '@form-relay/core/index';
import { createThrottle } from '@form-relay/core/kit';
import { failed } from '../failures.ts';
import { type Json as Envelope, textOf } from './providers/provider.ts';

/** The host of a topic's region. @param arn Of a topic in the config. */
export function snsHostOf(arn: string): string {
  const [, partition, , region] = arn.split(':');
  return `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
}

/** Whether the certificate is another's: the host also serves answers of its API, which may hold anybody's text. */
export function certificateProblem(
  { SigningCertURL: address }: Envelope,
  arn: string,
): 'foreign_certificate' | undefined {
  const prefix = `https://${snsHostOf(arn)}/SimpleNotificationService-`;
  const found = textOf(address);
  const isOurs = found.startsWith(prefix) && /^[0-9a-f]{8,64}\.pem$/.test(found.slice(prefix.length));
  return isOurs ? undefined : 'foreign_certificate';
}

const algorithms: ReadonlyMap<string, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
]);

/** Checks the signature. Rejects with a `ClientError` if the certificate cannot be fetched. */
export async function isSigned(
  envelope: Envelope,
  services: Pick<Services, 'http' | 'now'>,
): Promise<boolean> {
  const algorithm = algorithms.get(textOf(envelope.SignatureVersion));
  const signature = textOf(envelope.Signature);
  if (algorithm === undefined || signature === '') return false;
  const text = signedText(envelope);
  if (text === undefined) return false;
  const key = await keyAt(textOf(envelope.SigningCertURL), services);
  return verify(algorithm, Buffer.from(text), key, Buffer.from(signature, 'base64'));
}

const ofNotification = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const ofSubscription = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

/** `undefined` if members could be split otherwise: line breaks join them, and only the first, `Message`, may hold some. */
function signedText(envelope: Envelope): string | undefined {
  const names = envelope.Type === 'Notification' ? ofNotification : ofSubscription;
  const signed = names.filter((name) => envelope[name] !== undefined && envelope[name] !== null);
  if (!signed.includes('MessageId') || signed.slice(1).some((name) => textOf(envelope[name]).includes('\n')))
    return undefined;
  return signed.map((name) => `${name}\n${textOf(envelope[name])}\n`).join('');
}

/** Amazon has one a region at a time. */
const mostKeys = 8;
const known = new WeakMap<Services['http'], ReturnType<typeof createFetched>>();

/** Made-up addresses must neither make the relay ask Amazon often nor use up what the genuine one needs. */
const mostFetchesPerSecond = 10;
const failedMs = 60_000;
const mostFailed = 1_000;

const createFetched = (now: () => number) => ({
  keys: new LatestMap<KeyObject>(mostKeys),
  underWay: new Map<string, Promise<KeyObject>>(),
  /** Until when addresses that failed are not asked again. */
  failedUntil: new LatestMap<number>(mostFailed),
  throttle: createThrottle(mostFetchesPerSecond, mostFetchesPerSecond, now),
});

const timeoutMs = 5_000;

async function keyAt(address: string, { http, now }: Pick<Services, 'http' | 'now'>): Promise<KeyObject> {
  const fetched = known.get(http) ?? createFetched(now);
  known.set(http, fetched);
  const { keys, underWay, failedUntil, throttle } = fetched;
  const found = keys.get(address) ?? underWay.get(address);
  if (found) return found;
  if ((failedUntil.get(address) ?? 0) > now() || throttle() !== undefined)
    throw failed('sns_certificate_unread');
  failedUntil.delete(address);
  const fetching = fetchKey(address, http);
  underWay.set(address, fetching);
  try {
    const key = await fetching;
    keys.set(address, key);
    return key;
  } catch (error) {
    failedUntil.set(address, now() + failedMs);
    throw error;
  } finally {
    underWay.delete(address);
  }
}

async function fetchKey(address: string, http: Services['http']): Promise<KeyObject> {
  const answer = await http({ method: 'GET', url: new URL(address), headers: {}, body: '', timeoutMs });
  if (answer.status !== 200 || answer.isCut) throw failed('sns_certificate_unread');
  try {
    return createPublicKey(answer.body);
  } catch {
    throw failed('sns_certificate_unread');
  }
}
