import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { Sha256 } from '../../../../test/support/aws/signature.ts';
import { holds, property, runs } from '../../../../test/support/fuzz.ts';
import {
  encodeRfc3986,
  errorName,
  hashOf,
  type SigningScope,
  signedHeaders,
  type UnsignedRequest,
} from '../../src/aws/sign.ts';

/** AWS's own signature of the same request. */
async function signedByAws({ method, url, headers, body }: UnsignedRequest, scope: SigningScope) {
  const signer = new SignatureV4({
    sha256: Sha256,
    region: scope.region,
    service: scope.service,
    credentials: {
      accessKeyId: scope.credentials.accessKeyId,
      secretAccessKey: scope.credentials.secretAccessKey,
      ...(scope.credentials.sessionToken !== undefined && { sessionToken: scope.credentials.sessionToken }),
    },
    uriEscapePath: scope.service !== 's3',
  });
  const signed = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...headers, host: url.host },
      body,
    },
    { signingDate: new Date(scope.now) },
  );
  return signed.headers;
}

const text = (unit: string, least = 1) =>
  fc.string({ unit: fc.constantFrom(...unit), minLength: least, maxLength: 30 });
const token = text('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=');
const scopes = (service: 's3' | 'ses') =>
  fc.record({
    region: fc.constantFrom('us-east-1', 'eu-central-1', 'cn-north-1', 'us-gov-west-1'),
    service: fc.constant(service),
    now: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2099, 0, 1) }),
    credentials: fc.record({
      accessKeyId: text('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'),
      secretAccessKey: token,
      sessionToken: fc.option(token, { nil: undefined }),
    }),
  });
const headerNames = text('abcdefghijklmnopqrstuvwxyz-').filter(
  (name) =>
    !/^(host|authorization|x-|amz|sec-|proxy-)|^(cache-control|connection|expect|from|keep-alive|max-forwards|pragma|referer|te|trailer|transfer-encoding|upgrade|user-agent|range)$/.test(
      name,
    ),
);
const headers = fc.dictionary(headerNames, text('abc XYZ019 "=/,;  '), { maxKeys: 4 });

describe('AWS’s own signer agrees', () => {
  test('about S3 objects with any key', () =>
    holds(10, [scopes('s3'), headers, fc.string({ unit: 'grapheme' })], async (scope, headers, key) => {
      const path = encodeURIComponent(key).replaceAll('.', '-');
      const url = new URL(`https://bucket.s3.${scope.region}.amazonaws.com/${path}`);
      const request = { method: 'GET', url, headers, body: '' } as const;
      expect(signedHeaders(request, scope)).toEqual(await signedByAws(request, scope));
    }));

  test('about queries', () =>
    fc.assert(
      fc.asyncProperty(
        scopes('s3'),
        // Leave out `__proto__`, which AWS's own signer loses.
        fc.dictionary(
          fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => name !== '__proto__'),
          fc.string({ unit: 'grapheme' }),
        ),
        async (scope, query) => {
          const params = Object.entries(query).map((pair) => pair.map(encodeRfc3986).join('='));
          const url = new URL(`https://bucket.s3.${scope.region}.amazonaws.com/?${params.join('&')}`);
          const request = { method: 'GET', url, headers: {}, body: '' } as const;
          expect(signedHeaders(request, scope)).toEqual(await signedByAws(request, scope));
        },
      ),
      runs(10),
    ));

  test('about bytes produced piece by piece, with or without a known hash', () =>
    holds(10, [scopes('s3'), fc.array(fc.uint8Array())], async (scope, pieces) => {
      const bytes = Buffer.concat(pieces);
      const streamed = { byteLength: bytes.length, pieces: () => pieces };
      const url = new URL(`https://bucket.s3.${scope.region}.amazonaws.com/file`);
      const request = { method: 'PUT', url, headers: {}, body: '' } as const;
      const signed = await signedByAws({ ...request, body: bytes as unknown as string }, scope);
      expect(signedHeaders({ ...request, streamed }, scope)).toEqual(signed);
      expect(signedHeaders({ ...request, sha256: hashOf(streamed) }, scope)).toEqual(signed);
    }));
});

const answer = (body: string, header?: string) => ({
  status: 400,
  headers: header === undefined ? {} : { 'x-amzn-errortype': header },
  body: Buffer.from(body),
  isCut: false,
});
const name = fc.stringMatching(/^[A-Z][A-Za-z]{2,30}$/);
const around = fc.string({ unit: 'grapheme', maxLength: 10 }).filter((text) => !/[<"]/.test(text));

property("AWS's name for the error is found wherever an answer has it", 100, [name, around], (name, text) => {
  const errors = [
    answer(`<?xml version="1.0"?><Error><Code>${name}</Code><Message>${text}</Message></Error>`),
    answer(JSON.stringify({ __type: name, message: text })),
    answer(JSON.stringify({ message: text, __type: `com.amazonaws.sesv2#${name}` }, null, 1)),
    answer(text, `${name}:http://internal.amazon.com/coral/com.amazon.coral.service/`),
    answer(JSON.stringify({ __type: 'Other' }), name),
  ];
  expect(errors.map(errorName)).toEqual(errors.map(() => name));
});

test('from any other response, only an error name is quoted', async () => {
  const piece = fc.constantFrom(
    ...['"__type"', ':', '"', '<Code>', '</Code>', '#', 'ada@example.org', ' ', '\n', '\0', 'a.b', 'x'],
  );
  const body = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  await holds(200, [body, fc.option(body, { nil: undefined })], (body, header) => {
    expect(errorName(answer(body, header))).toMatch(/^[A-Za-z]{0,60}$/);
  });
});
