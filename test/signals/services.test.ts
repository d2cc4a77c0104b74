import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SinkAnswer } from '../support/http_sink.ts';
import { solve } from '../support/puzzles.ts';
import { env, json, stage } from './service_stage.ts';

test('StopForumSpam gets the address and the MD5 of the mail address, and nothing else', async () => {
  const { service, send, endings } = await stage({
    signals: 'stopforumspam: {url: "$service/api"}',
    answer: () =>
      json({ success: 1, ip: { appears: 0 }, emailHash: { appears: 1, frequency: 4, confidence: '62.5' } }),
  });
  await send();
  const [asked] = service.requests;
  expect(asked?.method).toBe('GET');
  expect(Object.fromEntries(new URL(asked?.url ?? '', service.origin).searchParams)).toEqual({
    json: '1',
    confidence: '1',
    ip: '203.0.113.9',
    emailhash: createHash('md5').update('anna@example.org').digest('hex'),
  });
  expect(asked?.body).toBe('');
  expect(endings()).toEqual([
    'dropped: 2.5 points: drop; stopforumspam 2.5 (reported for spam, with a confidence of 63 %)',
  ]);
});

test.each([
  ['it knows nobody', { success: 1, ip: { appears: 0 }, emailHash: { appears: 0 } }],
  ['it is hardly sure', { success: 1, ip: { appears: 1, confidence: 24.9 } }],
  ['it says nothing of how sure it is', { success: 1, ip: { appears: 1 } }],
])('StopForumSpam: %s', async (_, says) => {
  const { send, endings, silences } = await stage({
    signals: 'stopforumspam: {url: "$service/api"}',
    answer: () => json(says),
  });
  await send();
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toEqual([]);
});

test('nobody is asked about whom nobody could know', async () => {
  const { service, send, endings } = await stage({
    signals: 'stopforumspam: {url: "$service/api"}',
  });
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '100.64.0.1',
    '::1',
    'fd00::1',
    '::ffff:192.168.0.1',
  ]) {
    await send({ email: '' }, address);
  }
  expect(service.requests).toEqual([]);
  expect(new Set(endings())).toEqual(new Set(['delivered']));
});

test('Akismet gets what was typed in fields for text, and who sent it', async () => {
  const { service, send, endings } = await stage({
    signals: 'akismet: {url: "$service/1.1", site: "https://www.example.com/"}',
    answer: () => ({ body: 'true' }),
  });
  await send({ website: 'https://spam.example' });
  const [asked] = service.requests;
  expect(`${asked?.method} ${asked?.url}`).toBe('POST /1.1/comment-check');
  expect(Object.fromEntries(new URLSearchParams(asked?.bytes.toString()))).toEqual({
    api_key: env.AKISMET_KEY,
    blog: 'https://www.example.com/',
    blog_lang: 'de',
    blog_charset: 'UTF-8',
    user_ip: '203.0.113.9',
    user_agent: 'Mozilla/5.0 (test)',
    referrer: 'https://www.example.com/contact',
    comment_type: 'contact-form',
    comment_author: 'Anna Muster',
    comment_author_email: 'Anna@example.org',
    comment_author_url: 'https://spam.example',
    comment_content: 'Grüße – buy now',
  });
  expect(endings()).toEqual(['dropped: 4 points: drop; akismet 4 (spam)']);
});

test('Akismet: what it would discard has all of its weight, and what is none has nothing', async () => {
  const says: SinkAnswer[] = [
    { body: 'true', headers: { 'X-akismet-pro-tip': 'discard' } },
    { body: 'false' },
  ];
  const { send, endings } = await stage({
    signals: 'akismet: {url: "$service/1.1/", site: "https://www.example.com/", weight: 7}',
    answer: () => says.shift() ?? {},
  });
  await send();
  await send({ message: 'Something else' });
  expect(endings()).toEqual(['dropped: 7 points: drop; akismet 7 (spam, without a doubt)', 'delivered']);
});

test('who sends it again, corrected or not, is not asked about twice; another text is another question', async () => {
  const { relay, service, send } = await stage({
    signals:
      'akismet: {url: "$service/", site: "https://www.example.com/"}, stopforumspam: {url: "$service/api"}',
    answer: ({ url }) => (url.startsWith('/api') ? json({ success: 1 }) : { body: 'false' }),
  });
  const asked = () => service.requests.map(({ url }) => url.split('?')[0]);
  await send({ phone: 'none' });
  await send({ phone: '+49 30 123456' });
  await Promise.all([send(), send(), send()]);
  expect(asked()).toEqual(['/api', '/comment-check']);
  await send({ message: 'Another' });
  expect(asked()).toEqual(['/api', '/comment-check', '/comment-check']);
  relay.advance(16 * 60_000);
  await send();
  expect(asked().slice(3).toSorted()).toEqual(['/api', '/comment-check']);
});

test('who does what a challenge asks is delivered, and no service is asked again', async () => {
  const { service, outputs, send, endings } = await stage({
    signals: 'akismet: {url: "$service/", site: "https://a.example"}',
    action: 'challenge',
    answer: () => ({ body: 'true' }),
    env: { ...env, FORM_TOKEN_SECRET: 'xjqGk2dHnUu7TqZ0bVnB' },
  });
  const asked = await send();
  expect(asked.status).toBe(422);
  const { challenge } = JSON.parse(String(asked.body));
  expect((await send({ altcha: solve(challenge) })).status).toBe(200);
  expect(service.requests).toHaveLength(1);
  expect(outputs.requests).toHaveLength(1);
  expect(endings()).toEqual([expect.stringMatching(/^challenged: /), 'delivered']);
});

test('a key that is not set is told by its name; readiness waits for it', async () => {
  const { relay, send, endings, silences } = await stage({
    signals: 'akismet: {key_env: OTHER_KEY, site: "https://a.example"}',
    env: {},
  });
  await send();
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toMatchObject([{ signal: 'akismet', reason: 'OTHER_KEY is not set' }]);
  expect(relay.logged.find(({ event }) => event === 'variables_missing')).toMatchObject({
    variables: ['OTHER_KEY'],
    places: ['forms.contact.spam.signals.akismet needs OTHER_KEY'],
  });
});
