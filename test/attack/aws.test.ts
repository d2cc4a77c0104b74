/**
 * The owner configures the bucket, region, secret and address of AWS. A mistake must fail loudly: the relay
 * must never send a request to a host outside AWS, or to another bucket.
 */
import fc from 'fast-check';
import { awsAccount } from '../../packages/clients/src/aws/account.ts';
import { askS3 } from '../../packages/clients/src/aws/s3_client.ts';
import { account } from '../../packages/clients/test/aws/aws.ts';
import { ClientError } from '../support/failed.ts';
import { holds } from '../support/fuzz.ts';

const suffixes = [
  ...['amazonaws.com', 'amazonaws.com.cn', 'amazonaws.eu', 'c2s.ic.gov', 'sc2s.sgov.gov', 'cloud.adc-e.uk'],
  ...['csp.hci.ic.gov'],
];
const isOfAws = (host: string) => suffixes.some((end) => host.endsWith(`.${end}`));

/** The host that gets S3 requests; `undefined` if the relay sends none. */
async function requestedUrl(bucket: string, key: string, env: Readonly<Record<string, string>>) {
  let url: URL | undefined;
  const http = async (request: { readonly url: URL }) => {
    url = request.url;
    return { status: 304, headers: {}, body: Buffer.alloc(0), isCut: false };
  };
  const aws = { account: awsAccount((name) => ({ ...account, ...env })[name]), http, now: Date.now };
  await askS3(aws, { method: 'GET', bucket, key, timeoutMs: 5_000 }).catch((error: unknown) => {
    if (!(error instanceof ClientError)) throw error;
  });
  return url;
}

/** Texts that may change the meaning of a URL, besides ordinary ones. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['arn:', 'aws', 's3', ':', '/', '@', '#', '?', '\\', '..', '.', '%2e', '--x-s3', 'xn--', '-'],
  ),
  fc.constantFrom(
    ...['accesspoint', '111122223333', 'eu-west-1', 'evil.example', '\n', '\t', ' ', 'é', '\0', 'A_b'],
  ),
  fc.string({ maxLength: 4 }),
);
const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));

test('names of a bucket, a key and a region lead only to AWS, and to that bucket', () =>
  holds(500, [text, text, fc.oneof(fc.constant('eu-west-1'), text)], async (bucket, key, region) => {
    const url = await requestedUrl(bucket, key, { AWS_REGION: region });
    if (!url) return;
    expect(isOfAws(url.hostname)).toBe(true);
    expect([url.protocol, url.username, url.password, url.port, url.search, url.hash]).toEqual([
      ...['https:', '', '', '', '', ''],
    ]);
    if (!url.hostname.startsWith(`${bucket}.`))
      expect(decodeURIComponent(url.pathname)).toBe(`/${bucket}/${key}`);
  }));
