/** Visitors change and withdraw their submissions in relays that share a store. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeMail, mailHeader, smtpSink, tempFolder } from '../../../test/support/index.ts';
import { sealLink } from '../../senders/src/links/sealed_link.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';
import { env, openChanges } from './stage.ts';

const day = 86_400_000;
const ada = { name: 'Ada', email: 'ada@acme.example', day: 'mon', text: 'one\ntwo' };

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));

test('the link shows the submission, the form is filled in, and outputs get changes and withdrawals', async () => {
  const at = await openChanges();
  const sealed = await at.sealedOf(ada);
  const [first = ''] = at.sink.requests.map(({ headers }) => headers['idempotency-key']?.slice(0, -2));
  const shown = await at.show(sealed);
  expect(shown.text).toMatch(/You sent this on .*>Ada<.*ada@acme\.example.*>one\ntwo</s);
  expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
  const form = (await at.form(sealed)).text;
  expect(form).toMatch(/value="Ada".*value="mon" selected.*one\ntwo<\/textarea>/s);
  const wrong = await at.post('/api/v1/submit/course?as=page', `name=&day=tue&change=${sealed}`, {});
  expect(wrong.text).toMatch(new RegExp(`value="tue" selected.*name="change" value="${sealed}"`, 's'));
  const changed = await at.send({ ...ada, day: 'tue', change: sealed });
  expect(changed.json).toMatchObject({
    message: 'ok',
    changes: expect.stringContaining('/api/v1/changes/course?t='),
  });
  const stale = (await at.show(sealed)).text;
  expect(stale).toMatch(/You changed it on .* Below is what you sent before the change\./);
  expect((await at.withdraw(sealed)).status).toBe(303);
  for (const answer of [
    await at.show(sealed),
    await at.form(sealed),
    await at.withdraw(sealed),
    await at.send({ ...ada, change: sealed }),
  ])
    expect(answer.text).toContain('This was withdrawn.');
  const text = 'one\ntwo';
  expect(at.delivered).toEqual([
    { ...ada, text },
    { ...ada, text, day: 'tue', _change_of: first },
    { ...ada, text, _withdrawn: first },
  ]);
  expect(
    at.sink.requests.map(({ headers }) => headers['x-form-change-of'] ?? headers['x-form-withdrawn']),
  ).toEqual([undefined, first, first]);
});

test('a link that is truncated, expired or for another form changes nothing', async () => {
  const at = await openChanges({ top: `counted_in: ${tempFolder()}` });
  const sealed = await at.sealedOf(ada);
  const other = await openChanges({ env: { ...env, FORM_TOKEN_SECRET: 'another secret of the relay' } });
  const tries = [
    [sealed.slice(0, -1), 400, 'change_unknown'],
    [`${sealed}A`, 400, 'change_unknown'],
    [await other.sealedOf(ada), 400, 'change_unknown'],
  ] as const;
  const refuses = async (one: string, status: number, code: string) => {
    expect([(await at.show(one)).status, (await at.withdraw(one)).status]).toEqual([status, status]);
    expect((await at.send({ ...ada, change: one })).json).toMatchObject({ status, code });
  };
  for (const [one, status, code] of tries) await refuses(one, status, code);
  expect((await at.show('')).status).toBe(400);
  expect((await at.get(`/api/v1/changes/other?t=${sealed}`)).status).toBe(404);
  at.advance(6 * day);
  expect((await at.send({ ...ada, name: 'Ada L', change: sealed })).status).toBe(200);
  at.advance(day + 1);
  await refuses(sealed, 410, 'change_expired');
  expect(at.delivered).toHaveLength(2);
});

test('50 simultaneous changes in two relays: a second click sends nothing, and all others are delivered one after another', async () => {
  const at = await openChanges({ effects: { sleep } });
  const two = await at.another();
  const sealed = await at.sealedOf(ada);
  const clicks = Array.from({ length: 50 }, (_, nth) =>
    (nth % 2 ? at : two).send({ ...ada, day: 'tue', change: sealed }),
  );
  expect((await Promise.all(clicks)).map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(at.delivered).toHaveLength(2);
  const others = ['a', 'b', 'c'].map((name) => at.send({ ...ada, name, change: sealed }));
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
  const more = Array.from({ length: 17 }, (_, nth) => ({ ...ada, name: `n${nth}`, change: sealed }));
  const last = [];
  for (const one of more) last.push((await at.send(one)).status);
  expect(last).toEqual([...Array(16).fill(200), 429]);
  const ends = await Promise.all([at, two, at, two].map(({ withdraw }) => withdraw(sealed)));
  expect(ends.map(({ status }) => status).toSorted()).toEqual([303, 410, 410, 410]);
  expect(at.delivered).toHaveLength(22);
});

test('a change or withdrawal that no output accepts can be sent again', async () => {
  let isDown = false;
  const at = await openChanges({ sink: { answer: () => ({ status: isDown ? 500 : 200 }) } });
  const sealed = await at.sealedOf(ada);
  isDown = true;
  expect((await at.send({ ...ada, day: 'tue', change: sealed })).status).toBe(500);
  expect((await at.withdraw(sealed)).status).toBe(500);
  expect((await at.show(sealed)).text).not.toContain('You changed it');
  isDown = false;
  expect((await at.send({ ...ada, day: 'tue', change: sealed })).status).toBe(200);
  expect((await at.withdraw(sealed)).status).toBe(303);
});

test('places follow the choice and are freed, and `once` counts one submission', async () => {
  const at = await openChanges({
    keys: 'places: 2\noption_places: {day: {mon: 1, tue: 1}}\nonce: {by: email, reveal: true}',
    fields:
      '{name: name, required: true}, {name: email, type: email, required: true}, {name: day, type: select, options: [mon, tue, wed]}',
  });
  const send = async (values: object) =>
    (await at.send(values)).json as { code?: string; errors?: { code: string }[] };
  const one = { name: 'Ada', email: 'ada@acme.example', day: 'mon' };
  const two = { name: 'Bo', email: 'bo@acme.example', day: 'tue' };
  const [a, b] = [await at.sealedOf(one), await at.sealedOf(two)];
  // The form is full for other visitors.
  expect((await send({ name: 'Cy', email: 'cy@acme.example', day: 'wed' })).code).toBe('form_full');
  expect((await at.form(a)).text).toMatch(/value="mon" selected.*value="tue" disabled/s);
  expect((await send({ ...one, day: 'tue', change: a })).errors).toMatchObject([{ code: 'option_full' }]);
  expect((await send({ ...two, day: 'wed', change: b })).code).toBeUndefined();
  expect((await send({ ...one, day: 'tue', change: a })).code).toBeUndefined();
  expect((await send({ ...one, email: 'bo@acme.example', change: a })).code).toBe('already_registered');
  expect((await send({ ...one, email: 'ada@b.example', change: a })).code).toBeUndefined();
  expect((await at.withdraw(b)).status).toBe(303);
  // Given-up addresses and places are free again.
  await expect
    .poll(async () => (await send({ ...two, email: 'ada@acme.example', day: 'tue' })).code)
    .toBeUndefined();
  expect((await send({ name: 'Cy', email: 'cy@acme.example', day: 'wed' })).code).toBe('form_full');
  expect((await at.withdraw(a)).status).toBe(303);
  await expect.poll(async () => (await send({ ...one, email: 'ada@b.example' })).code).toBeUndefined();
  expect((await send({ name: 'Cy', email: 'cy@acme.example', day: 'wed' })).code).toBe('form_full');
});

test('bots get a link, too, and its holder is not checked for being a bot', async () => {
  const at = await openChanges({ keys: 'spam: {honeypot: website}' });
  const dropped = await at.sealedOf({ ...ada, website: 'http://spam.example' });
  expect(at.delivered).toEqual([]);
  expect((await at.show(dropped)).text).toContain('ada@acme.example');
  expect((await at.send({ ...ada, change: dropped })).status).toBe(200);
  expect((await at.withdraw(dropped)).status).toBe(303);
  expect(at.delivered).toEqual([]);
});

test('with a folder, the link shows the latest version, can have any length, and ends with the erasure', async () => {
  const archive = tempFolder();
  const at = await openChanges({
    outputs: `{type: folder, path: ${archive}}, {type: http_post, url: $sink, mapping: "*", retries: 0}`,
  });
  const text = Array.from({ length: 600 }, () => Math.random().toString(36)).join(' ');
  const sealed = await at.sealedOf({ ...ada, text });
  expect(sealed.length).toBeLessThan(2_000);
  expect((await at.show(sealed)).text).toContain(text);
  expect((await at.send({ ...ada, name: 'Grace', text, change: sealed })).status).toBe(200);
  expect((await at.show(sealed)).text).toMatch(/>Grace</);
  expect((await at.form(sealed)).text).toContain('value="Grace"');
  const documents = filesIn(archive).map((path) => JSON.parse(readFileSync(join(archive, path), 'utf8')));
  const mark = documents.flatMap(({ fields }) => fields).filter(({ name }) => name === '_change_of');
  expect(mark).toEqual([
    {
      name: '_change_of',
      label: 'Changed',
      values: [documents.find(({ fields }) => fields[0].values[0] === 'Ada').id],
    },
  ]);
  for (const path of filesIn(archive)) rmSync(join(archive, path));
  at.advance(11 * 60_000);
  const gone = [await at.show(sealed), await at.withdraw(sealed), await at.send({ ...ada, change: sealed })];
  expect(gone.map(({ status }) => status)).toEqual([410, 410, 410]);
});

test('without a folder, a link that cannot hold all values only allows a withdrawal', async () => {
  const at = await openChanges();
  const text = Array.from({ length: 600 }, () => Math.random().toString(36)).join(' ');
  const sealed = await at.sealedOf({ ...ada, text });
  const shown = (await at.show(sealed)).text;
  expect(shown).toMatch(/ada@acme\.example/);
  expect(shown).toContain('so you can only withdraw it');
  expect(shown).not.toContain('>Change<');
  expect([(await at.form(sealed)).status, (await at.send({ ...ada, change: sealed })).status]).toEqual([
    200, 410,
  ]);
  expect((await at.withdraw(sealed)).status).toBe(303);
  expect(at.delivered.at(-1)).toMatchObject({ name: 'Ada', _withdrawn: expect.any(String) });
});

test('mails announce changes, to the owner in the subject; the visitor’s mail has the link; a webhook gets events', async () => {
  const smtp = await smtpSink();
  const mail = `type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: a@acme.example`;
  const at = await openChanges({
    keys: 'confirmation_mail: {to: email, subject: Thank you, text: We have it.}',
    outputs: `{${mail}, to: owner@acme.example, mapping: "*"}, {${mail}, to: owner@acme.example, text: "{{ .fields.name }}"}, {type: webhook, url: $sink, body: {who: "{{ .fields.name }}"}, retries: 0}`,
  });
  const first = await at.send(ada);
  const mails = () =>
    smtp.mails.map(({ raw }) => ({ subject: mailHeader(raw, 'subject') ?? '', ...decodeMail(raw) }));
  await expect.poll(() => mails().filter(({ text }) => text.includes('We have it.')).length).toBe(1);
  const own = mails().find(({ text }) => text.includes('We have it.'))?.text ?? '';
  const sealed = new URL(/https:\S+/.exec(own)?.[0] ?? '').searchParams.get('t') ?? '';
  expect((first.json as { changes: string }).changes).toContain(sealed);
  await at.send({ ...ada, day: 'tue', change: sealed });
  await at.withdraw(sealed);
  const [id] = at.logged.flatMap(({ change_of }) => change_of ?? []);
  const toOwner = mails().filter(({ text }) => !text.includes('We have it.'));
  const subjects = toOwner.map(({ subject }) => subject).filter((subject) => subject.startsWith('['));
  expect(subjects).toEqual([
    ...Array(2).fill('[Changed] Form submission: course'),
    ...Array(2).fill('[Withdrawn] Form submission: course'),
  ]);
  expect(toOwner.filter(({ text }) => text.includes(`_withdrawn=${id}`))).toHaveLength(1);
  expect(toOwner.filter(({ text }) => text.trim() === `Ada\n\nWithdrawn: ${id}`)).toHaveLength(1);
  expect(at.sink.requests.map(({ body }) => JSON.parse(String(body)))).toEqual([
    { who: 'Ada' },
    { type: 'submission.changed', _change_of: id, who: 'Ada' },
    { type: 'submission.withdrawn', _withdrawn: id, who: 'Ada' },
  ]);
});

test('with double_opt_in, a new address has to be confirmed, and the old one does not', async () => {
  const news = await openNewsletter({ formKeys: 'changes: 7d', forms: `counted_in: ${tempFolder()}` });
  await news.subscribe({ email: 'ada@acme.example' });
  const page = (await news.confirm()).text;
  const sealed = /changes\/news\?t=([\w-]+)/.exec(page)?.[1] ?? '';
  const change = (email: string) => news.subscribe({ email, name: 'Ada L', change: sealed });
  expect((await change('ada@acme.example')).json).toMatchObject({ changes: expect.any(String) });
  expect(news.list.requests).toHaveLength(2);
  expect((await change('eve@acme.example')).json).toEqual({ message: 'ok' });
  expect(news.list.requests).toHaveLength(2);
  expect((await news.confirm()).status).toBe(200);
  expect((await news.confirm()).status).toBe(200);
  expect(news.list.requests).toHaveLength(3);
  expect(news.list.requests.at(-1)?.body).toMatch(/_change_of=.*eve%40acme/);
});

test('a record of consent keeps its time, and values that a link fixed stay fixed', async () => {
  const at = await openChanges({
    keys: 'links: required',
    fields: '{name: name, required: true}, {name: day}, {name: terms, type: consent, label: I agree}',
  });
  const link = { until: Date.now() + 9 * day, values: new Map([['day', ['tue']]]), locked: ['day'] };
  const fill = sealLink(env.FORM_TOKEN_SECRET, 'course', link, crypto.randomUUID());
  const [, terms = ''] = /value="([0-9a-f]{64})"/.exec((await at.get(`/f/course?fill=${fill}`)).text) ?? [];
  const sealed = await at.sealedOf({ name: 'Ada', terms, fill });
  at.advance(day);
  const form = (await at.form(sealed)).text;
  expect(form).toMatch(/value="[0-9a-f]{64}" checked|checked[^>]*value="[0-9a-f]{64}"/);
  expect(form).toContain('<p class="field-fixed">tue</p>');
  await at.send({ name: 'Ada L', day: 'mon', terms, change: sealed });
  const [before, after] = at.delivered;
  expect(after).toMatchObject({ name: 'Ada L', day: 'tue', terms: before?.terms });
});

test('after a change of the config, the form asks for new fields, and shows the submitted values of removed ones', async () => {
  const top = `counted_in: ${tempFolder()}`;
  const sealed = await (await openChanges({ top })).sealedOf(ada);
  const at = await openChanges({
    top,
    fields:
      '{name: name, required: true}, {name: day, type: select, options: [tue]}, {name: more, required: true}',
  });
  expect((await at.show(sealed)).text).toContain('ada@acme.example');
  const answer = (await at.send({ ...ada, change: sealed })).json as {
    errors: { field: string; code: string }[];
  };
  expect(answer.errors.map(({ field, code }) => [field, code])).toEqual([
    ['day', 'not_an_option'],
    ['more', 'missing'],
  ]);
  expect((await at.send({ name: 'Ada', day: 'tue', more: 'x', change: sealed })).status).toBe(200);
  expect((await at.withdraw(sealed)).status).toBe(303);
});
