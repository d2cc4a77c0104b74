/** A doubted visitor gets the form back with everything typed, the challenge and its reason. */
import { type Answer, contact, httpSink } from '../../../test/support/index.ts';
import { mistakesIn } from '../../../test/support/validate.ts';

const doubted = 'doubt: {challenge: 9}, signals: {links: 20},';

/** `spam` and `keys` are YAML, each key with a comma after it. */
async function staged({ spam = doubted, keys = '' } = {}) {
  const relay = await contact({
    fields: '[{name: name, required: true}, {name: text, type: textarea}]',
    keys: `title: Write to us, ${keys} spam: {${spam}}`,
    env: { FORM_TOKEN_SECRET: 'not so secret' },
  });
  const post = async (body: Readonly<Record<string, string>>, query = '?as=page', headers = {}) =>
    relay.shown(await relay.post(`/api/v1/submit/contact${query}`, body, headers));
  return { relay, sink: relay.sink, post };
}

/** Many links and no question, which no one takes for a genuine message. */
const advert = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');
const sent = { name: 'Ada', text: advert };

const tokenIn = ({ text }: Answer) => /name="_ts" value="([^"]+)"/.exec(text)?.[1] ?? '';
const numberIn = ({ text }: Answer) => /Type the number (\d{4})/.exec(text)?.[1] ?? '';
const answered = (page: Answer) => ({ _ts: tokenIn(page), altcha: numberIn(page) });
const said = ({ text }: Answer) => [...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, words]) => words);

describe('on a page', () => {
  test('everything typed is kept, the reason has the focus, and the question follows it', async () => {
    const { post, sink, relay } = await staged();
    const page = await post(sent);
    expect(page.status).toBe(422);
    expect(page.text).toContain('<title>Error: Write to us</title>');
    expect(page.text).toMatch(/value="Ada".*https:\/\/shop-9\.example\/.*<\/textarea>/s);
    expect(said(page)).toEqual([
      'Not sent yet: one more check is needed. Your entries are still here: please send the form again.',
    ]);
    const [, id] =
      /role="alert" tabindex="-1" autofocus>.*<label for="([^"]+)">Type the number \d{4}<.*<button type="submit"/s.exec(
        page.text,
      ) ?? [];
    expect(page.text).toContain(
      `<input type="text" id="${id}" name="altcha" inputmode="numeric" autocomplete="off" required aria-describedby="${id}--help">`,
    );
    expect(page.text.match(/autofocus/g)).toHaveLength(1);
    expect(sink.requests).toEqual([]);
    expect((await post({ ...sent, ...answered(page) })).status).toBe(200);
    expect(sink.requests.map(({ body }) => [...new URLSearchParams(body).keys()])).toEqual([
      ['name', 'text'],
    ]);
    expect(JSON.stringify(relay.logged)).not.toContain(numberIn(page));
  });

  test.each(['0000', '123', 'no', '12345', ' ', '４', '"><script>'])(
    'a wrong number, such as %j, is reported at the question, which is a new one',
    async (typed) => {
      const { post, sink } = await staged();
      const first = await post(sent);
      const again = await post({ ...sent, ...answered(first), altcha: typed });
      expect([again.status, sink.requests.length]).toEqual([422, 0]);
      const isSaid = again.text.includes('That was not the number. Please type the new one.');
      expect(isSaid).toBe(typed.trim() !== '');
      expect(/aria-invalid="true" aria-describedby="(\S+)--help \1--error"/.test(again.text)).toBe(isSaid);
      expect(again.text).not.toContain('"><script>');
      await post({ ...sent, ...answered(again) });
      expect(sink.requests).toHaveLength(1);
    },
  );

  test('a number counts once, and only with its own token', async () => {
    const { post, sink } = await staged();
    const [one, other] = [await post(sent), await post(sent)];
    expect((await post({ ...sent, ...answered(one), _ts: tokenIn(other) })).status).toBe(422);
    expect((await post({ ...sent, ...answered(one) })).status).toBe(200);
    expect(sink.requests).toHaveLength(1);
    // After a double click, browsers show the second response.
    const second = await post({ ...sent, ...answered(one) });
    expect(said(second)[0]).toMatch(/^This form was already sent\. If you saw a confirmation/);
    expect(second.text).not.toMatch(/Nothing was sent|That was not the number/);
    expect((await post({ ...sent, ...answered(second) })).status).toBe(200);
  });

  test.each(['?as=page', ''])('the wait so far counts, and quick answers are accepted: %j', async (query) => {
    const { post, relay, sink } = await staged({ spam: `${doubted} min_fill_seconds: 5,` });
    const headers = query === '' ? { 'hx-request': 'true' } : {};
    const token = tokenIn(await relay.get('/api/v1/token/contact'));
    relay.advance(5_000);
    const challenged = await post({ ...sent, _ts: token }, query, headers);
    expect(challenged.status).toBe(422);
    await post({ ...sent, ...answered(challenged) }, query, headers);
    expect(sink.requests).toHaveLength(1);
  });
});

test('elsewhere: htmx gets the form with the reason and the question', async () => {
  const { post, sink } = await staged();
  const fragment = await post(sent, '', { 'hx-request': 'true' });
  expect(fragment.status).toBe(422);
  expect(fragment.text).toMatch(/^<form [^>]*hx-post=/);
  expect(fragment.text).toMatch(/one more check is needed.*data-form-challenge>.*Type the number/s);
  const taken = await post({ ...sent, ...answered(fragment) }, '', { 'hx-request': 'true' });
  expect(taken.text).toContain('form-confirmation');
  expect(sink.requests).toHaveLength(1);
});

test('elsewhere: a script gets a harder puzzle with the code', async () => {
  const { post } = await staged();
  const { json } = await post(sent, '', { accept: 'application/problem+json' });
  expect(json).toMatchObject({
    status: 422,
    code: 'challenge_proof',
    token: { name: '_ts', proof_field: 'altcha', challenge: { algorithm: 'SHA-256', maxnumber: 400_000 } },
  });
});

describe('a captcha only in doubt', () => {
  const stagedWithCaptcha = async (more = '') => {
    const provider = await httpSink({ answer: () => ({ body: '{"success": false}' }) });
    const keys = `captcha: {provider: turnstile, secret: s, site_key: key, only_in_doubt: true, verify_url: "${provider.origin}/"},`;
    return staged({ keys, spam: doubted + more });
  };
  const typed = (page: Answer, number = numberIn(page)) => ({
    _captcha_number_token: /name="_captcha_number_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
    _captcha_number: number,
  });

  test('a visitor without the script types a number, once', async () => {
    const { post, sink } = await stagedWithCaptcha();
    const page = await post(sent);
    expect(page.text).toMatch(
      /class="cf-turnstile".*<details class="form-other-way">.*Type the number \d{4}/s,
    );
    expect(page.text).not.toContain('This form needs JavaScript');
    expect(await mistakesIn(page.text)).toEqual([]);
    const wrong = await post({ ...sent, ...typed(page, '0000'), 'cf-turnstile-response': 'blocked' });
    expect(wrong.text).toMatch(/<details class="form-other-way" open>.*That was not the number/s);
    const mistaken = await post({ ...sent, ...typed(wrong), name: '' });
    expect(mistaken.text).toMatch(/<details class="form-other-way" open>/);
    expect(mistaken.text).not.toContain('That was not the number');
    expect(sink.requests).toEqual([]);
    expect((await post({ ...sent, ...typed(mistaken) })).status).toBe(200);
    expect([...new URLSearchParams(sink.requests[0]?.body).keys()]).toEqual(['name', 'text']);
    const again = await post({ ...sent, ...typed(mistaken) });
    expect([again.status, said(again)[0]]).toEqual([
      422,
      expect.stringMatching(/^This form was already sent/),
    ]);
    expect((await post({ ...sent, ...typed(again) })).status).toBe(200);
  });

  test('challenge: captcha requires nothing else', async () => {
    const { post } = await stagedWithCaptcha(' challenge: captcha,');
    const page = await post({ ...sent, _captcha_number: '1234' });
    expect(page.text).toMatch(/class="cf-turnstile".*This form needs JavaScript/s);
    expect(page.text).not.toContain('Type the number');
  });
});

describe('senders of too many submissions', () => {
  test.each([
    ['1 per 10m', 'en', 'please go back, and send the form again in 10 minutes.'],
    ['1 per 30s', 'en', 'please go back, and send the form again in 1 minute.'],
    ['1 per 3h', 'en', 'please go back, and send the form again in 3 hours.'],
    ['1 per 10m', 'de', 'Wartezeit: 10 Minuten.'],
    ['1 per 3m', 'pl', 'Czas oczekiwania: 3 minuty.'],
  ])('with %s, in %s, reads how long to wait', async (limit, language, words) => {
    const { post, relay, sink } = await staged({
      spam: 'honeypot: website,',
      keys: `rate_limit: ${limit}, languages: [en, de, pl],`,
    });
    const query = `lang=${language}`;
    await post({ name: 'Ada' });
    const page = await post({ name: 'Ada' }, `?as=page&${query}`);
    expect([page.status, Number(page.headers.get('retry-after')) > 20]).toEqual([429, true]);
    expect(said(page)[0]).toContain(words);
    const problem = await post({ name: 'Ada' }, `?${query}`, { accept: 'application/problem+json' });
    expect(problem.json).toMatchObject({ status: 429, code: 'rate_limited' });
    const fragment = await post({ name: 'Ada' }, `?${query}`, { 'hx-request': 'true' });
    expect(fragment.text).toMatch(/^<ul class="form-errors" lang="\w\w" dir="ltr"><li>.*\d.*<\/li><\/ul>\n$/);
    expect(sink.requests).toHaveLength(1);
    expect(relay.logged.map(({ outcome }) => outcome)).toContain('rate_limited');
  });
});
