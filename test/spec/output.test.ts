import type { HttpRequest } from '../../packages/core/src/services.ts';
import { contact, expectLogged, httpSink, problemsOf, relayWith, warningsOf } from '../support/index.ts';

const fields = '[{name: name}, {name: email}, {name: topic}]';
const configOf = (output: string) => `forms: {contact: {fields: ${fields}, outputs: [${output}]}}`;

/** POSTs to the sink of an `http_post` output with these keys. */
async function sent(keys: string, ...values: [name: string, value: string][]) {
  const form = await contact({ fields, outputs: `[{type: http_post, url: $sink, ${keys}}]` });
  expect((await form.send(...values)).status).toBe(200);
  return form.delivered[0];
}

const ann = Object.entries({ name: 'Ann', email: 'a@b.example', topic: '' });

describe('mapping and static', () => {
  test('3. an empty static value does not overwrite a mapped one', async () => {
    expect(await sent('mapping: {n: name}, static: {n: "{{ .fields.topic }}"}', ...ann)).toEqual([
      ['n', 'Ann'],
    ]);
  });

  test('3. whitespace does not count as empty', async () => {
    expect(await sent('mapping: {n: name}, static: {s: " "}', ['name', ' '])).toEqual([
      ['n', ' '],
      ['s', ' '],
    ]);
  });

  test('4. mapping values are field names, never templates', async () => {
    const keys = 'mapping: {n: "{{ .fields.name }}", broken: "{{ nope", }';
    expect(await sent(keys, ...ann)).toEqual([]);
    expect(await sent(keys, ['{{ .fields.name }}', 'literal'])).toEqual([['n', 'literal']]);
  });

  test('keys are sent in the order of their UTF-8 bytes, wherever their values come from', async () => {
    // In UTF-16, 😀 would come before the half-width ￮.
    const keys = 'static: {z: 1, "\uffee": 1, A: 1}, mapping: {"😀": name, é: name, aa: name, a: name}';
    const order = ['A', 'a', 'aa', 'z', 'é', '\uffee', '😀'];
    expect((await sent(keys, ...ann))?.map(([key]) => key)).toEqual(order);
  });

  test('mapping: "*" maps every declared field under its own name, and static adds to it', async () => {
    expect(await sent('mapping: "*", static: {z: 1}', ...ann, ['extra', 'x'])).toEqual([
      ['email', 'a@b.example'],
      ['name', 'Ann'],
      ['z', '1'],
    ]);
  });
});

describe('An undeclared field', () => {
  test.each([
    ['mapping: {e: extra}', [['e', 'x']]],
    ['static: {e: "<{{ .fields.extra }}>"}', [['e', '<x>']]],
    ['static: {e: \'{{ values "extra" | join "+" }}\'}', [['e', 'x']]],
  ])('is used if the config names it: {%s}', async (keys, expected) =>
    expect(await sent(keys, ['extra', 'x'])).toEqual(expected),
  );
});

test('an unregistered type loads with a warning, and its own keys are not checked', async () => {
  const config = configOf('{type: carrier_pigeon, feathers: [grey]}');
  expect(await problemsOf(config)).toBe('');
  expect(await warningsOf(config)).toContain('forms.contact.outputs[0].type: "carrier_pigeon"');
});

test('on_error: continue answers as if nothing had failed, and logs the failure', async () => {
  const refusing = await httpSink({ answer: () => ({ status: 500, body: 'internals' }) });
  const form = await contact({
    fields,
    outputs: `[{type: http_post, url: "${refusing.origin}", on_error: continue}]`,
  });
  const answer = await form.send(['name', 'Ann']);
  expect([answer.status, answer.json]).toEqual([200, { message: 'ok' }]);
  const reason = 'the server answered 500';
  expectLogged(form, {
    ...{ level: 'warn', event: 'delivery_failed', form: 'contact', output: 0, reason },
    on_error: 'continue',
  });
});

describe('timeout', () => {
  /** The time that each POST may take, with a clock that every POST advances by `tookMs`. */
  async function granted({ keys = '', captcha = '', tookMs = 0 }) {
    const posts: HttpRequest[] = [];
    let clockMs = Date.UTC(2030, 0, 1);
    const relay = await relayWith({
      config: `forms: {contact: {fields: [], ${captcha} outputs: [{type: http_post, url: "https://sink.test/", ${keys}}]}}`,
      effects: {
        now: () => clockMs,
        http: async (post) => {
          posts.push(post);
          clockMs += tookMs;
          return { status: 200, headers: {}, body: '{"success": true}' };
        },
      },
    });
    expect((await relay.submit('contact', 'g-recaptcha-response=t')).status).toBe(200);
    return posts.filter(({ url }) => url.host === 'sink.test').map(({ timeoutMs }) => timeoutMs);
  }

  test.each([
    ['', 10_000],
    ['timeout: 3s', 3_000],
  ])('{%s} gives a delivery %i ms, 10 s by default', async (keys, ms) =>
    expect(await granted({ keys })).toEqual([ms]),
  );

  test('the whole submission ends within 25 s, however long earlier steps took', async () => {
    const captcha = 'captcha: {provider: recaptcha_v2, secret: s, verify_url: "https://captcha.test/"},';
    const [ms = 0] = await granted({ keys: 'timeout: 25s', captcha, tookMs: 5_000 });
    expect(ms).toBeGreaterThan(15_000);
    expect(ms).toBeLessThanOrEqual(20_000);
  });
});
