import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/fuzz.ts';
import { errorName } from '../../src/aws/send_signed.ts';

const answer = (body: string, header?: string) => ({
  status: 400,
  headers: header === undefined ? {} : { 'x-amzn-errortype': header },
  body: Buffer.from(body),
  isCut: false,
});
const name = fc.stringMatching(/^[A-Z][A-Za-z]{2,30}$/);
const around = fc.string({ unit: 'grapheme', maxLength: 10 }).filter((text) => !/[<"]/.test(text));

test("AWS's name for the error is found wherever an answer has it", () => {
  fc.assert(
    fc.property(name, around, (name, text) => {
      const errors = [
        answer(`<?xml version="1.0"?><Error><Code>${name}</Code><Message>${text}</Message></Error>`),
        answer(JSON.stringify({ __type: name, message: text })),
        answer(JSON.stringify({ message: text, __type: `com.amazonaws.sesv2#${name}` }, null, 1)),
        answer(text, `${name}:http://internal.amazon.com/coral/com.amazon.coral.service/`),
        answer(JSON.stringify({ __type: 'Other' }), name),
      ];
      expect(errors.map(errorName)).toEqual(errors.map(() => name));
    }),
    runs(100),
  );
});

test('no other answer has anything repeated but a name', () => {
  const piece = fc.constantFrom(
    '"__type"',
    ':',
    '"',
    '<Code>',
    '</Code>',
    '#',
    'ada@example.org',
    ' ',
    '\n',
    '\0',
    'a.b',
    'x',
  );
  const body = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  fc.assert(
    fc.property(body, fc.option(body, { nil: undefined }), (body, header) => {
      expect(errorName(answer(body, header))).toMatch(/^[A-Za-z]{0,60}$/);
    }),
    runs(200),
  );
});
