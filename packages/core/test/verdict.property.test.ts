/** Only a captcha provider's verdict that says so lets a submission through. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRelay } from '../../../test/support/bare_relay.ts';
import { ClientError } from '../../../test/support/failed.ts';
import { runs } from '../../../test/support/fuzz.ts';
import type { HttpAnswer } from '../src/services.ts';

let answers: (HttpAnswer | undefined)[] = [];
/** Whether failed requests were never sent. */
let isUnsent = false;
let delivered = 0;
let logged = '';
const captcha = (provider: string, more = '') =>
  `{fields: [{name: a}], captcha: {provider: ${provider}, secret: S3cretKey${more}}, outputs: [{type: http_post, url: "http://sink.test/", mapping: "*"}]}`;
const relay = createRelay({
  config: `forms:\n  turnstile: ${captcha('turnstile')}\n  hcaptcha: ${captcha('hcaptcha')}\n  recaptcha_v3: ${captcha('recaptcha_v3', ', min_score: 0.5')}\n`,
  throttled: false,
  effects: {
    sleep: async () => {},
    log: (...event) => {
      logged += JSON.stringify(event);
    },
    http: async ({ url }) => {
      if (url.hostname === 'sink.test') {
        delivered += 1;
        return { status: 200, headers: {}, body: '' };
      }
      const answer = answers.shift();
      if (!answer) throw new ClientError('no answer', { isUnsent });
      return answer;
    },
  },
});
const fields = {
  turnstile: 'cf-turnstile-response',
  hcaptcha: 'h-captcha-response',
  recaptcha_v3: 'g-recaptcha-response',
};

const oddly = fc.constantFrom<unknown>(true, false, 'true', 1, null, undefined, [], {});
const verdict = fc.record(
  {
    success: fc.oneof({ weight: 3, arbitrary: fc.constant<unknown>(true) }, oddly),
    score: fc.oneof(
      fc.double({ min: 0, max: 1, noNaN: true }),
      oddly,
      fc.constantFrom<unknown>(0.5, '0.9', 2),
    ),
    'error-codes': fc.oneof(
      // The first five are read.
      fc.array(fc.constantFrom<unknown>('internal-error', 'invalid-input-secret', 'T0ken', '<b>', 7, null), {
        maxLength: 5,
      }),
      oddly,
      fc.constantFrom<unknown>('internal-error'),
    ),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 4, arbitrary: verdict.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: verdict.map((value) => JSON.stringify([value])) },
);
const answer = fc.option(
  fc.record({
    status: fc.oneof({ weight: 4, arbitrary: fc.constant(200) }, fc.integer({ min: 100, max: 599 })),
    headers: fc.constant({}),
    body,
  }),
  { nil: undefined, freq: 9 },
);

/** The verdict in words of its own; `undefined` when there is none. */
const read = (answer: HttpAnswer | undefined) =>
  answer && Math.floor(answer.status / 100) === 2 ? readBody(answer) : undefined;

function readBody({ body }: HttpAnswer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return Object(value) === value ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

test('only a verdict of success passes, and nothing is echoed', async () => {
  let passed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('turnstile', 'hcaptcha', 'recaptcha_v3'),
      answer,
      answer,
      fc.boolean(),
      async (form, first, second, unsent) => {
        answers = [first, second];
        isUnsent = unsent;
        delivered = 0;
        logged = '';
        const { status, body } = await relay.handle({
          method: 'POST',
          path: `/api/v1/submit/${form}`,
          query: '',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: Buffer.from(`a=1&${fields[form]}=T0ken`),
        });
        const isHuman = (verdict: Record<string, unknown> | undefined) =>
          verdict?.success === true &&
          (form !== 'recaptcha_v3' || (typeof verdict.score === 'number' && verdict.score >= 0.5));
        // Turnstile may be retried where it failed, or says that it did; the others where they got nothing.
        const said = first && readBody(first);
        const codes = said?.['error-codes'];
        const isFailed =
          !said || first.status >= 500 || (Array.isArray(codes) && codes.includes('internal-error'));
        const isRetried = form === 'turnstile' ? isFailed : !first && isUnsent;
        const expected = isHuman(read(isRetried ? second : first));
        expect([status, delivered]).toEqual(expected ? [200, 1] : [400, 0]);
        expect(answers).toHaveLength(isRetried ? 0 : 1);
        expect(logged + body).not.toMatch(/S3cretKey|T0ken|<b>/);
        if (expected) passed += 1;
      },
    ),
    runs(80),
  );
  expect(passed).toBeGreaterThan(0);
});
