/** Any request at all to the address to which the links of mails lead. */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { sealSubmission } from '../../packages/visitor-mails/src/sealed_submission.ts';
import { createRelay } from '../support/bare_relay.ts';
import { runs } from '../support/fuzz.ts';

const secret = 'T0ken9f2c7b1e4d86';
const optIn = 'double_opt_in: {to: email, subject: s, text: t, through: {type: smtp, host: mail.test}}';
const config = `forms:
  news:
    fields: [{name: email, type: email, required: true}, {name: name, max_length: 80}]
    outputs: [{type: http_post, url: "http://sink.test/", mapping: "*"}]
    ${optIn}
  other:
    fields: [{name: email, type: email, required: true}]
    redirect: https://example.com/thanks
    outputs: [{type: http_post, url: "http://sink.test/", mapping: "*"}]
    ${optIn}
  plain:
    fields: [{name: email}]
    outputs: [{type: http_post, url: "http://sink.test/", mapping: "*"}]
`;
const posts: string[] = [];
const failures: string[] = [];
const relay = createRelay({
  config,
  env: {
    FORM_TOKEN_SECRET: secret,
    PUBLIC_URL: 'https://forms.test',
    THROTTLE_RATE_LIMIT: '1000000000',
    THROTTLE_BURST_LIMIT: '1000000000',
  },
  effects: {
    log: (_, event) => {
      if (event === 'internal_error') failures.push(event);
    },
    http: async ({ body }) => {
      posts.push(body);
      return { status: 200, headers: {}, body: '' };
    },
    smtp: async () => {},
  },
});
afterAll(() => relay.close());

let count = 0;
const sealedFor = (form: string, ageMs = 0) => {
  count += 1;
  const values = new Map([['email', [`v${count}@visitor.test`]]]);
  const held = { requestId: `id-${count}`, receivedAt: Date.now() - ageMs, values, page: undefined };
  return sealSubmission(secret, form, held, String(count));
};

/** A text, and the form for which it is a link that can be used, if it is one. */
const link = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('news', 'other').map((form) => ({ form, make: () => sealedFor(form) })),
  },
  { weight: 1, arbitrary: fc.constant({ form: 'none', make: () => sealedFor('news', 50 * 3_600_000) }) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(), fc.string({ unit: 'binary', maxLength: 4 })).map(([at, some]) => ({
      form: 'none',
      make: () => {
        const sealed = sealedFor('news');
        const place = at % sealed.length;
        return sealed.slice(0, place) + some + sealed.slice(place + 1 + (some.length % 2));
      },
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'binary', maxLength: 60 })
      .map((text) => ({ form: 'none', make: () => text })),
  },
);

const request = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'HEAD', 'OPTIONS', 'PUT', ''),
  form: fc.constantFrom('news', 'news', 'news', 'other', 'other', 'plain', 'nobody', '', '%', '%00'),
  link,
  isForm: fc.constantFrom(true, true, false),
  /** Beside or before the link's own. */
  more: fc.constantFrom('', '', 't=', 't=x&', 'lang=de', '&&', '%'),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    { accept: 'application/problem+json' },
    { 'hx-request': 'true' },
    { accept: 'application/json' },
    { host: 'evil.test', origin: 'https://evil.test' },
    { 'sec-fetch-mode': 'navigate', 'accept-language': 'ar,de;q=0.5' },
  ),
});

test('nothing is delivered but what this relay sealed, for this form, by POST, and that once', async () => {
  const seen = new Set<number>();
  let delivered = 0;
  await fc.assert(
    fc.asyncProperty(request, async ({ method, form, link, isForm, more, headers }) => {
      posts.length = 0;
      const sealed = link.make();
      const sent = `${more}${more.endsWith('&') || more === '' ? '' : '&'}t=${encodeURIComponent(Buffer.from(sealed).toString())}`;
      const isPost = method === 'POST';
      const ask = () =>
        relay.handle({
          method,
          path: `/api/v1/confirm/${form}`,
          query: isPost ? '' : sent,
          headers: { ...headers, ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }) },
          body: Buffer.from(isPost ? sent : ''),
        });
      const answers = [await ask(), await ask()];
      const [{ status }, again] = answers as [(typeof answers)[0], (typeof answers)[0]];
      seen.add(status);
      expect(again.status).toBe(status);
      const isFirst = !/^t=x/.test(more) && more !== '%';
      const isRight = isPost && isForm && isFirst && link.form === form;
      expect(posts).toHaveLength(isRight ? 1 : 0);
      if (isRight) {
        delivered += 1;
        expect([200, 303]).toContain(status);
      } else if (isPost) expect([400, 404, 410]).toContain(status);
      for (const { body, headers } of answers) {
        expect(body).not.toContain(secret);
        expect(body).not.toContain('visitor.test');
        for (const text of Object.values(headers)) expect(text).toMatch(/^[ -~]*$/);
        const { location = 'https://example.com/thanks' } = headers;
        expect(location).toMatch(/^(https:\/\/example\.com\/thanks|(\.\.\/)+api\/v1\/sent\/news\?t=[\w-]+)$/);
      }
    }),
    runs(1_000),
  );
  expect(failures).toEqual([]);
  expect(delivered).toBeGreaterThan(10);
  expect([...seen].sort()).toEqual([200, 204, 303, 400, 404, 405, 410]);
});
