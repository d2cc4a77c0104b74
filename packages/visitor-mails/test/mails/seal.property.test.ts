import fc from 'fast-check';
import { holds, property } from '../../../../test/support/fuzz.ts';
import { seal, sealOverhead, unseal } from '../../../base/src/seal.ts';
import { pageAt } from '../../../schema/src/template.ts';
import { type Held, openSubmission, sealSubmission } from '../../src/sealed_submission.ts';

const secret = 'a-secret-that-nobody-guesses-0123456789';

const here = { formTokenSecret: secret, allowedOrigins: new Set(['https://acme.example']) };

/** Any text that a body can contain. */
const text = fc.string({ unit: 'binary', maxLength: 60 }).map((one) => Buffer.from(one).toString());

const held: fc.Arbitrary<Held> = fc.record({
  requestId: fc.oneof(fc.uuid(), text),
  receivedAt: fc.nat({ max: 8_640_000_000_000_000 }),
  values: fc
    .array(fc.tuple(text, fc.array(text, { maxLength: 4 })), { maxLength: 6 })
    .map((all) => new Map(all)),
  page: fc.oneof(
    fc.constant(undefined),
    fc
      .tuple(fc.webUrl({ withQueryParameters: true }), text)
      .map(([url, title]) => pageAt(new URL(url), title, here.allowedOrigins)),
  ),
});

const formId = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

describe('a sealed submission', () => {
  test('opens to the same submission, whatever visitors write', () =>
    holds(30, [held, formId, fc.string()], (one, id, fresh) => {
      expect(openSubmission(here, id, sealSubmission(secret, id, one, fresh))).toEqual(one);
    }));

  property('takes no more space than its texts have bytes', 30, [held], (one) => {
    const sealed = sealSubmission(secret, 'f', one, 'x');
    const texts = [
      one.requestId,
      one.receivedAt.toString(36),
      one.page?.url ?? '',
      one.page?.title ?? '',
      ...[...one.values].flatMap(([name, values]) => [name, String(values.length), ...values]),
    ];
    const most = texts.reduce((sum, each) => sum + 2 + Buffer.byteLength(each), 0);
    expect(Buffer.from(sealed, 'base64url').length).toBeLessThanOrEqual(sealOverhead + 5 + most);
  });

  test('reveals nothing about its content, and never looks the same twice', () => {
    const one: Held = {
      requestId: 'r',
      receivedAt: 1,
      values: new Map([['email', ['a@b.example']]]),
      page: undefined,
    };
    const first = sealSubmission(secret, 'f', one, 'one');
    const second = sealSubmission(secret, 'f', one, 'two');
    expect(first).not.toBe(second);
    expect(first.slice(2, 20)).not.toBe(second.slice(2, 20));
    expect(Buffer.from(first, 'base64url').toString('latin1')).not.toContain('b.example');
  });

  test('does not open with another secret, or for another form', () =>
    holds(20, [held, formId, formId, fc.string()], (one, id, otherId, other) => {
      const sealed = sealSubmission(secret, id, one, 'x');
      if (otherId !== id) expect(openSubmission(here, otherId, sealed)).toBeUndefined();
      if (other !== secret)
        expect(openSubmission({ ...here, formTokenSecret: other }, id, sealed)).toBeUndefined();
    }));

  property('does not open if any bit is changed', 30, [held, fc.nat()], (one, at) => {
    const bytes = Buffer.from(sealSubmission(secret, 'f', one, 'x'), 'base64url');
    const bit = at % (bytes.length * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(openSubmission(here, 'f', bytes.toString('base64url'))).toBeUndefined();
  });

  test('does not open if a mail program cut it, or inserted something', () =>
    holds(20, [held, fc.nat(), fc.string({ minLength: 1 })], (one, at, more) => {
      const sealed = sealSubmission(secret, 'f', one, 'x');
      const place = at % sealed.length;
      expect(openSubmission(here, 'f', sealed.slice(0, place))).toBeUndefined();
      expect(openSubmission(here, 'f', sealed.slice(place + 1))).toBeUndefined();
      expect(
        openSubmission(here, 'f', `${sealed.slice(0, place)}${more}${sealed.slice(place)}`),
      ).toBeUndefined();
    }));

  test('any other text cannot be opened', async () => {
    const ours = fc.stringMatching(/^[\w-]{0,120}$/);
    await holds(50, [fc.oneof(ours, fc.string(), fc.base64String())], (found) => {
      expect(openSubmission(here, 'f', found)).toBeUndefined();
    });
  });

  test('bytes that are not a submission cannot be opened, even if they were encrypted here', () =>
    holds(30, [fc.uint8Array({ maxLength: 200 })], (bytes) => {
      const opened = openSubmission(here, 'f', seal(secret, 'double opt-in', 'f', bytes, 'x'));
      expect(opened === undefined || opened.values instanceof Map).toBe(true);
      expect(unseal(secret, 'double opt-in', 'f', seal(secret, 'double opt-in', 'f', bytes, 'x'))).toEqual(
        Buffer.from(bytes),
      );
    }));

  test('a text that is too long for a link is not even decoded', () =>
    expect(openSubmission(here, 'f', 'A'.repeat(1_000_000))).toBeUndefined());
});
