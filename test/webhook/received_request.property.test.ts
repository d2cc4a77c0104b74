import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkWebhook } from '../../packages/cli/src/webhook/check_webhook.ts';
import { readRequest } from '../../packages/cli/src/webhook/received_request.ts';
import { signWebhook } from '../../packages/clients/src/webhook/signature.ts';
import { runs } from '../support/fuzz.ts';
import { must } from '../support/must.ts';

const anyName = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
/** One byte a character, without spaces around it. */
const anyValue = fc.stringMatching(/^[\x21-\x7e\x80-\xff]([\t -~\x80-\xff]{0,20}[\x21-\x7e\x80-\xff])?$|^$/);
const anyHeaders = fc.array(fc.tuple(anyName, anyValue), { maxLength: 5 });
const anyBody = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const lineBreak = fc.constantFrom('\n', '\r\n');

test('every header and every byte of the body are read as they were written', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('', 'POST /hook?a=1 HTTP/1.1', 'PUT * HTTP/2'),
      anyHeaders,
      anyBody,
      lineBreak,
      (requestLine, headers, body, end) => {
        const lines = headers.map(([name, value]) => `${name}: ${value}`);
        const head = [requestLine, ...lines].filter((line) => line !== '').map((line) => line + end);
        const request = must(readRequest(Buffer.concat([Buffer.from(head.join('') + end, 'latin1'), body])));
        expect(request.body).toEqual(body);
        const names = [...new Set(headers.map(([name]) => name.toLowerCase()))];
        expect([...request.headers]).toEqual(
          names.map((name) => [
            name,
            headers.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value),
          ]),
        );
      },
    ),
    runs(50),
  );
});

test('any bytes are a request, or it is said why they are none', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anyBody, lineBreak.map(Buffer.from), fc.constant(Buffer.from(': ')))),
      (parts) => {
        const read = readRequest(Buffer.concat(parts));
        if (!read.ok) expect(read.error).toMatch(/^(there is no |line \d+ is no header)/);
      },
    ),
    runs(50),
  );
});

const key = Buffer.alloc(32, 7);
const expected = { key, at: 1_900_000_000_000, toleranceMs: 300_000 };

function received(signedBody: string, arrived: Buffer) {
  const secrets = [`whsec_${key.toString('base64')}`];
  const headers = signWebhook({ id: 'a-0', timestamp: 1_900_000_000, body: signedBody, secrets });
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]] as const);
  return { headers: new Map(lists), body: arrived };
}

test('a request with another body is never genuine', () => {
  const anyJson = fc.json().map((text) => JSON.stringify(JSON.parse(text)));
  const anySigned = fc.oneof(fc.string({ unit: 'binary' }), anyJson);
  const anyEdit = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => `${text}\n`,
    (text) => `\uFEFF${text}`,
    (text) => text.replaceAll('\n', '\r\n'),
    (text) => Buffer.from(text, 'utf8').toString('latin1'),
    (text) => `${text} `,
    (text) => text.replace(/[a-z]/, 'X'),
  );
  fc.assert(
    fc.property(anySigned, anyEdit, (signed, edit) => {
      const arrived = Buffer.from(edit(signed));
      const { problems } = checkWebhook(received(signed, arrived), expected);
      const isSame = arrived.equals(Buffer.from(signed));
      expect(problems.map(({ code }) => code)).toEqual(isSame ? [] : ['signature_differs']);
    }),
    runs(50),
  );
});
