/** A dropped submission gets the same bytes as an accepted one, whatever becomes of that. */
import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import { createMemoryStore } from '../../../test/support/memory_store.ts';
import type { Answer } from '../../../test/support/relay.ts';
import { openNewsletter } from '../../visitor-mails/test/mails/newsletter.ts';

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
  'kept when it fails': 'keep: failed\n    kept_message: We have it.',
  acknowledged: 'receipt: true',
  'kept always': 'keep: always\n    kept_message: We have it.',
};

const cases = forms.flatMap((form) =>
  dropped.flatMap(([why, body]) => audiences.map(([who, ...ask]) => [form, why, who, body, ...ask] as const)),
);

const whole = ({ status, text, headers }: Answer) => ({
  status,
  text: text.replaceAll(/fr1\.[\w.-]+/g, 'receipt'),
  headers: [...headers]
    .filter(([name]) => !['date', 'x-request-id'].includes(name))
    // Sealed values differ each time, and have as many characters.
    .map(([name, value]) => [name, value.replace(/(?<=[?&]t=).*/, (sealed) => `${sealed.length}`)]),
});

test.each(cases)('a form that is %s, %s, to %s', async (form, _why, _who, body, query, headers) => {
  const sink = await httpSink();
  const relay = await relayWith({
    config: `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    ${keysOf[form]}
    ${spam}
    fields: [{name: email, type: email}, {name: text}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]
`,
    env: {
      RECEIPT_SECRET: 'a secret that is long enough to be one',
      FORM_TOKEN_SECRET: 'not so secret',
    },
    effects: { openStore: async () => createMemoryStore(Date.now) },
  });
  const send = (values: Readonly<Record<string, string>>) =>
    relay.request(`/api/v1/submit/contact${query}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(values).toString(),
    });
  const taken = await send(human);
  expect(taken.status).toBeLessThan(400);
  const other = await send(body);
  expect(whole(other)).toEqual(whole(taken));
  expect(whole(await relay.shown(other))).toEqual(whole(await relay.shown(taken)));
  expect(sink.requests.filter(({ body }) => body.includes('shop-') || body.includes('website'))).toEqual([]);
});

test.each(dropped)('a form that waits for its address to be confirmed, %s', async (_, body) => {
  const news = await openNewsletter({ formKeys: spam, fields: '- {name: text, max_length: 200}' });
  for (const [index, [, query, headers]] of audiences.entries()) {
    const send = (values: Readonly<Record<string, string>>) =>
      news.request(`/api/v1/submit/news${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(values).toString(),
      });
    // An address gets few mails in an hour.
    const taken = await send({ ...human, email: `ada${index}@visitor.example` });
    expect(taken.status).toBeLessThan(400);
    const sent = news.smtp.mails.length;
    const other = await send(body);
    expect(whole(other)).toEqual(whole(taken));
    expect(whole(await news.shown(other))).toEqual(whole(await news.shown(taken)));
    expect(news.smtp.mails.length).toBe(sent);
  }
});
