/** A submission that its form's signals count against: what happens in the outputs, and in the log. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contact, decodeMail, decodeWords, smtpSink } from '../../../test/support/index.ts';
import { writtenLanguages } from '../../../test/support/languages.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import type { Answer, LogEvent } from '../../../test/support/relay.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';
import { hardness, solutionFor } from '../src/proof/challenge.ts';
import { noticedIn, tooFastSignal } from '../src/score/marks.ts';
import { signalTypes } from '../src/signals/index.ts';

/** Enough URLs that every form doubts the text. */
const offer = Array.from({ length: 8 }, (_, nth) => `https://offer-${nth}.example/buy`).join(' ');
const question = 'Do you repair chairs?';

const mark = /^\d+(\.\d)? \([\w, ]*\blinks\b[\w, ]*\)$/;

/** These tests check what points lead to, not how they add up. */
const onlyLinks = JSON.stringify({
  ...Object.fromEntries(
    signalTypes.filter(({ example }) => example === undefined).map(({ name }) => [name, 0]),
  ),
  links: 9,
});

/** A form whose outputs all deliver to one sink. `$sink`: its address. */
async function open(
  doubt: string,
  outputs?: string,
  { keys = '', ...options }: Parameters<typeof contact>[0] = {},
) {
  const form = await contact({
    fields: '[{name: message}]',
    outputs,
    keys: `spam: {doubt: ${doubt}, signals: ${onlyLinks}}${keys && `, ${keys}`}`,
    ...options,
  });
  return {
    ...form,
    send: (message: string, ...more: [string, string][]) => form.send(['message', message], ...more),
    pairs: () => form.sink.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body))),
    line: (): LogEvent | undefined => form.logged.findLast(({ event }) => event === 'submission'),
  };
}

const tag = '{tag: 0.5}';

test('observe: changes nothing for anyone, and the log has the score and its signals', async () => {
  const form = await open('{observe: 0.5}');
  expect((await form.send(offer)).json).toEqual({ message: 'ok' });
  expect(form.pairs()).toEqual([{ message: offer }]);
  expect(form.sink.requests[0]?.headers).not.toHaveProperty('x-form-doubt');
  const line = form.line();
  expect(line).toMatchObject({ outcome: 'delivered', doubt: 'observe' });
  const { score, signals } = line as unknown as { score: number; signals: Record<string, number> };
  expect(signals.links).toBeGreaterThan(0);
  const sum = Object.values(signals).reduce((all, points) => all + points, 0);
  expect(score).toBeCloseTo(sum, 5);
  expect(JSON.stringify(form.logged)).not.toContain('offer-1');
});

describe('tag', () => {
  test('a form post has the mark as a field and as a header', async () => {
    const form = await open(tag);
    await form.send(offer);
    expect(form.pairs()).toEqual([{ message: offer, _doubt: expect.stringMatching(mark) }]);
    expect(form.sink.requests[0]?.headers['x-form-doubt']).toMatch(mark);
    await form.send(question);
    expect(form.pairs()[1]).toEqual({ message: question });
    expect(form.sink.requests[1]?.headers).not.toHaveProperty('x-form-doubt');
  });

  test('a webhook has the mark in its JSON, and in $submission', async () => {
    const form = await open(
      tag,
      '[{type: webhook, url: $sink, mapping: "*"}, {type: webhook, url: $sink, body: {about: $submission}}]',
    );
    await form.send(offer);
    const bodies = form.sink.requests.map(({ body }) => JSON.parse(body));
    expect(bodies.find((body) => 'message' in body)).toEqual({
      message: offer,
      _doubt: expect.stringMatching(mark),
    });
    expect(bodies.find((body) => 'about' in body)?.about.doubt).toMatch(mark);
    expect(form.sink.requests.every(({ headers }) => mark.test(String(headers['x-form-doubt'])))).toBe(true);
  });

  test('an output may have the mark under its own name, in a template and in a header', async () => {
    const form = await open(
      tag,
      '[{type: http_post, url: $sink, mapping: {spam: _doubt}, static: {note: "{{ .fields._doubt }}"}, headers: {X-Form-Doubt: "{{ .form.id }}"}}]',
    );
    await form.send(offer);
    expect(form.pairs()[0]).toMatchObject({
      spam: expect.stringMatching(mark),
      note: expect.stringMatching(mark),
    });
    expect(form.sink.requests[0]?.headers['x-form-doubt']).toBe('contact');
    await form.send(question);
    expect(form.pairs()[1]).toEqual({});
    expect(await (await form.relay.config.get())?.warnings()).toEqual([]);
  });

  test('no visitor can submit the mark, nor have a submission quarantined', async () => {
    const form = await open(tag);
    await form.send(question, ['_doubt', '99 (made_up)'], ['_aside', '1']);
    expect(form.pairs()).toEqual([{ message: question }]);
    // An output that names the marks does not get them either.
    const named = await open(
      tag,
      '[{type: http_post, url: $sink, mapping: {spam: _doubt, aside: _aside}, static: {to: owner}}]',
    );
    await named.send(question, ['_doubt', '99 (made_up)'], ['_aside', '1']);
    expect(named.pairs()).toEqual([{ to: 'owner' }]);
  });

  test('a mail has the mark before its subject, in a header and in its text', async () => {
    const smtp = await smtpSink();
    const to = `host: 127.0.0.1, port: ${smtp.port}, to: a@acme.example`;
    const form = await open(tag, `[{type: smtp, ${to}, mapping: "*", headers: {X-Own: "1"}}]`);
    await form.send(offer);
    await form.send(question);
    const [doubted, fine] = smtp.mails.map(({ raw }) => decodeMail(raw));
    const headers = new Map((doubted?.headers ?? []).map(([name, value]) => [name, decodeWords(value)]));
    expect(headers.get('Subject')).toBe('[Spam?] Form submission: contact');
    expect(headers.get('X-Form-Doubt')).toMatch(mark);
    expect(headers.get('X-Own')).toBe('1');
    expect(headers.has('Bcc')).toBe(false);
    expect(doubted?.text).toMatch(/^_doubt=\d.*links.*\nmessage=https/);
    expect(new Map(fine?.headers).get('Subject')).toBe('Form submission: contact');
    expect(new Map(fine?.headers).has('X-Form-Doubt')).toBe(false);
    expect(fine?.text).toBe(`message=${question}\n`);
  });

  test('an archive stores the mark as a field', async () => {
    const folder = tempFolder();
    const form = await open(tag, `[{type: folder, path: ${JSON.stringify(folder)}}]`);
    await form.send(offer);
    const name = readdirSync(folder, { recursive: true })
      .map(String)
      .find((one) => one.endsWith('.json'));
    const { fields } = JSON.parse(readFileSync(join(folder, name ?? ''), 'utf8'));
    expect(fields).toEqual([
      { name: 'message', label: 'Message', values: [offer] },
      { name: '_doubt', label: 'Possible spam', values: [expect.stringMatching(mark)] },
    ]);
  });
});

test('every signal has words in every language, and an unknown one keeps its name', () => {
  const names = [...signalTypes.map(({ name }) => name), tooFastSignal];
  for (const language of writtenLanguages) {
    const said = noticedIn(`9 (${names.join(', ')})`, language).split(/[;؛] /);
    expect(said, language).toHaveLength(names.length);
    expect(new Set(said).size, language).toBe(names.length);
    expect(noticedIn('9 (of_tomorrow)', language)).toBe('9 (of_tomorrow)');
  }
  expect(noticedIn('5 (links, of_tomorrow)', 'de-AT')).toBe('verdächtige Links');
  expect(noticedIn('5 (links)', 'sw')).toBe('suspicious links');
  expect(noticedIn('5 (links, offers)', 'ar')).toMatch(/^[^;]+؛ [^;]+$/);
});

const split =
  '[{type: http_post, url: $sink, mapping: "*", static: {to: usual}}, {type: http_post, url: $sink, mapping: "*", static: {to: only}, aside: only}, {type: http_post, url: $sink, mapping: "*", static: {to: also}, aside: also}]';
const aside = '{aside: 0.5}';

const reached = (form: Awaited<ReturnType<typeof open>>) =>
  form
    .pairs()
    .map(({ to }) => to ?? '')
    .toSorted();

test('aside: is delivered to the outputs that say so, and other submissions to the others', async () => {
  const other = await open(aside, split);
  await other.send(question);
  expect(reached(other)).toEqual(['also', 'usual']);
  const form = await open(aside, split);
  expect((await form.send(offer)).json).toEqual({ message: 'ok' });
  expect(reached(form)).toEqual(['also', 'only']);
  expect(form.pairs().every(({ _doubt = '' }) => mark.test(_doubt))).toBe(true);
  expect(form.pairs().every((pairs) => !('_aside' in pairs))).toBe(true);
  expect(form.line()).toMatchObject({
    outcome: 'delivered',
    doubt: 'aside',
    deliveries: [
      { output: 0, outcome: 'skipped' },
      { output: 1, outcome: 'delivered' },
      { output: 2, outcome: 'delivered' },
    ],
  });
});

test('aside: queued deliveries reach the same outputs later, and are still tagged', async () => {
  let status = 503;
  const relay = await open(aside, split, {
    top: 'keep: {in: /var/lib/form-relay}',
    keys: 'keep: failed',
    answer: () => ({ status }),
    store: createMemoryStore,
  });
  const { sink } = relay;
  expect((await relay.send(offer)).status).toBe(200);
  const tried = sink.requests.length;
  status = 200;
  relay.advance(3_600_000);
  await expect.poll(() => sink.requests.length, { timeout: 20_000 }).toBe(tried + 2);
  const later = sink.requests.slice(tried).map(({ body }) => new URLSearchParams(body));
  expect(later.map((pairs) => pairs.get('to')).toSorted()).toEqual(['also', 'only']);
  expect(later.every((pairs) => mark.test(pairs.get('_doubt') ?? ''))).toBe(true);
});

test('drop responds as if the submission were delivered, and the log says what happened', async () => {
  const form = await open('{drop: 0.5}');
  const fine = await form.send(question);
  const dropped = await form.send(offer);
  expect(dropped.text).toBe(fine.text);
  expect(dropped.status).toBe(fine.status);
  expect(form.pairs()).toEqual([{ message: question }]);
  expect(form.line()).toMatchObject({ outcome: 'dropped', by: 'doubt', doubt: 'drop' });
});

const signUp = async (doubt: string, name: string) => {
  const news = await openNewsletter({ formKeys: `spam: {doubt: ${doubt}, signals: ${onlyLinks}}` });
  await news.subscribe({ name });
  return news;
};

test('double opt-in: the link carries the mark, which nobody can read in the link', async () => {
  const news = await signUp(tag, offer.slice(0, 80));
  expect(Buffer.from(news.sealed, 'base64url').toString('latin1')).not.toContain('links');
  await news.confirm();
  expect(new URLSearchParams(news.list.requests[0]?.body).get('_doubt')).toMatch(mark);
});

/** The log line for a submission with this many points. */
async function lineOf(doubt: string, program: number, more = '', message = 'Hello', points = program) {
  const { submit, logged } = await contact({
    env: { FORM_TOKEN_SECRET: 'a secret of many characters' },
    fields: '[{name: message, type: textarea}]',
    outputs: '[{type: http_post, url: $sink, mapping: "*", aside: also}]',
    keys: `spam: {doubt: ${doubt}, signals: {program: ${program}, ${more}}}`,
  });
  await submit('contact', { message }, { 'user-agent': 'curl/8.0' });
  const line = logged.findLast(({ event }) => event === 'submission');
  expect(line?.score).toBe(points);
  return line;
}

test.each([
  ['{tag: 5, challenge: 6}', 'challenge'],
  ['{challenge: 5, aside: 6}', 'aside'],
  ['{tag: 5, challenge: 5}', 'challenge'],
  ['{observe: 5, tag: 5}', 'tag'],
  ['{challenge: 5, drop: 5}', 'drop'],
  // `tag` and `observe` apply together with another action.
  ['{tag: 6, challenge: 5}', 'challenge'],
  ['{observe: 6, aside: 5}', 'aside'],
  ['{tag: 7, observe: 5}', 'observe'],
])('%s: %s', async (doubt, action) => expect((await lineOf(doubt, 6))?.doubt).toBe(action));

test.each([
  ['title: Contact', {}],
  ['language: fr', { writing: 1.2 }],
  ['languages: [fr, de]', { writing: 1.2 }],
  ['languages: [fr, en]', {}],
])('the script of the form’s language counts: {%s}', async (keys, signals) => {
  const { submit, logged } = await contact({
    fields: '[{name: message, type: textarea}]',
    keys: `spam: {doubt: {tag: 9}, signals: {writing: 4}}, ${keys}`,
  });
  await submit('contact', { message: 'You will have this from me and for the first of you, with our best' });
  const line = logged.findLast(({ event }) => event === 'submission');
  const { program: _, ...found } = (line?.signals ?? {}) as Record<string, number>;
  expect(found).toEqual(signals);
});

describe('visitors who solve a challenge', () => {
  const secret = 'a secret of many characters';
  const altcha = () =>
    solutionFor(secret, 'contact', {
      nonce: 'one',
      expiresAt: Date.now() + 60_000,
      most: hardness.challenged,
    });

  async function challenged(doubt: string, message = 'Hello') {
    const { submit, logged, sink } = await contact({
      env: { FORM_TOKEN_SECRET: secret },
      fields: '[{name: message, type: textarea}]',
      keys: `spam: {doubt: ${doubt}, signals: {program: 6}}`,
    });
    const send = async (values: readonly [string, string][]) => {
      const { status } = await submit('contact', [['message', message], ...values], {
        'user-agent': 'curl/8.0',
      });
      return { status, line: logged.findLast(({ event }) => event === 'submission') };
    };
    return { send, sink };
  }

  test('is delivered, and the log says so', async () => {
    const { send, sink } = await challenged('{challenge: 5}');
    const first = await send([]);
    expect(first).toMatchObject({
      status: 422,
      line: { outcome: 'challenged', by: 'doubt', doubt: 'challenge' },
    });
    expect(sink.requests).toHaveLength(0);
    const done = await send([['altcha', altcha()]]);
    expect(done).toMatchObject({ status: 200, line: { outcome: 'delivered', score: 6, solved: true } });
    expect(done.line).not.toHaveProperty('doubt');
    expect(sink.requests.map(({ body }) => body)).toEqual(['message=Hello']);
  });

  test('is also tagged if the config says so, and still dropped if it says that', async () => {
    const marked = await challenged('{tag: 2, challenge: 5}', 'Have a look: https://bit.ly/3abc');
    expect(await marked.send([['altcha', altcha()]])).toMatchObject({ line: { solved: true, doubt: 'tag' } });
    expect(new URLSearchParams(marked.sink.requests[0]?.body).get('_doubt')).toBe('9 (program, links)');
    const dropped = await challenged('{challenge: 5, drop: 6}');
    expect((await dropped.send([['altcha', altcha()]])).line).toMatchObject({
      outcome: 'dropped',
      doubt: 'drop',
    });
    expect(dropped.sink.requests).toHaveLength(0);
  });
});

/** A dropped submission gets the same response as an accepted one, byte for byte, whatever happens to the accepted one. */

const advert = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');
const spam = 'spam: {honeypot: website, doubt: {drop: 9}, signals: {links: 20}}';

const human = { email: 'ada@visitor.example', text: 'Good morning' };
const dropped = [
  ['in doubt', { ...human, text: advert }],
  ['with the decoy filled in', { ...human, website: 'x' }],
] as const;

const audiences = [
  ['a page', '?as=page', {}],
  ['htmx', '', { 'hx-request': 'true' }],
  ['a script', '', { accept: 'application/problem+json' }],
  ['a browser', '', { accept: 'text/html,*/*;q=0.8' }],
  ['a program', '', {}],
] as const;

const forms = ['plain', 'redirect', 'kept when it fails', 'kept always', 'acknowledged'] as const;
const keysOf: Readonly<Record<(typeof forms)[number], string>> = {
  plain: 'confirmation: We will be in touch.',
  redirect: 'redirect: https://a.example/thanks',
  'kept when it fails': 'keep: failed, kept_message: We have it.',
  acknowledged: 'receipt: true',
  'kept always': 'keep: always, kept_message: We have it.',
};

const cases = forms.flatMap((form) =>
  dropped.flatMap(([why, body]) => audiences.map(([who, ...ask]) => [form, why, who, body, ...ask] as const)),
);

const whole = ({ status, text, headers }: Answer) => ({
  status,
  text: text.replaceAll(/fr1\.[\w.-]+/g, 'receipt'),
  headers: [...headers]
    .filter(([name]) => !['date', 'x-request-id'].includes(name))
    // Sealed values differ each time, but have the same length.
    .map(([name, value]) => [name, value.replace(/(?<=[?&]t=).*/, (sealed) => `${sealed.length}`)]),
});

test.each(cases)('a form that is %s, %s, to %s', async (form, _why, _who, body, query, headers) => {
  const relay = await contact({
    top: 'keep: {in: /var/lib/form-relay}',
    fields: '[{name: email, type: email}, {name: text}]',
    keys: `${keysOf[form]}, ${spam}`,
    env: { RECEIPT_SECRET: 'a secret that is long enough to be one', FORM_TOKEN_SECRET: 'not so secret' },
    store: createMemoryStore,
  });
  const { sink } = relay;
  const send = (values: Readonly<Record<string, string>>) =>
    relay.post(`/api/v1/submit/contact${query}`, values, headers);
  const taken = await send(human);
  expect(taken.status).toBeLessThan(400);
  const other = await send(body);
  expect(whole(other)).toEqual(whole(taken));
  expect(whole(await relay.shown(other))).toEqual(whole(await relay.shown(taken)));
  expect(sink.requests.filter(({ body }) => body.includes('shop-') || body.includes('website'))).toEqual([]);
});

test.each(dropped)('a form that waits for the address to be confirmed, %s', async (_, body) => {
  const news = await openNewsletter({ formKeys: spam, fields: '- {name: text, max_length: 200}' });
  for (const [index, [, query, headers]] of audiences.entries()) {
    const send = (values: Readonly<Record<string, string>>) =>
      news.post(`/api/v1/submit/news${query}`, values, headers);
    // The relay sends few mails per hour to one address.
    const taken = await send({ ...human, email: `ada${index}@visitor.example` });
    expect(taken.status).toBeLessThan(400);
    const sent = news.smtp.mails.length;
    const other = await send(body);
    expect(whole(other)).toEqual(whole(taken));
    expect(whole(await news.shown(other))).toEqual(whole(await news.shown(taken)));
    expect(news.smtp.mails.length).toBe(sent);
  }
});
