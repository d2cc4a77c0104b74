import { expect, test } from 'vitest';
import { examineServices } from '../../packages/doctor/src/services.ts';
import { httpSink } from '../spec/stage.ts';
import type { SinkAnswer } from '../support/http_sink.ts';
import { diagnose } from './stage.ts';

const form = (signals: string) =>
  `{spam: {doubt: observe, signals: {${signals}}}, fields: [{name: a}], outputs: [{type: email, to: a@example.com, mapping: "*"}]}`;

async function look(signals: string, says: SinkAnswer, env = {}) {
  const service = await httpSink({ answer: () => says });
  const written = signals.replace('$service', service.origin);
  const diagnoses = await diagnose(examineServices, `forms: {a: ${form(written)}, b: ${form(written)}}`, {
    env,
  });
  const found = diagnoses.map((line) => line.replaceAll(`127.0.0.1:${service.port}`, 'HOST'));
  return { found, asked: service.requests.map(({ method, url, body }) => `${method} ${url} ${body}`) };
}

test('services that answer are well, and asked once for all forms, about nobody', async () => {
  const site = 'site: "https://www.example.com/"';
  expect(
    await look(`akismet: {url: "$service/1.1/", ${site}}`, { body: 'valid' }, { AKISMET_KEY: 'secret' }),
  ).toEqual({
    found: ['ok akismet at HOST: it answers'],
    asked: ['POST /1.1/verify-key key=secret&blog=https%3A%2F%2Fwww.example.com%2F'],
  });
  expect(
    await look('stopforumspam: {url: "$service/api"}', { body: '{"success":1,"ip":{"appears":0}}' }),
  ).toEqual({
    found: ['ok stopforumspam at HOST: it answers'],
    asked: ['GET /api?json=1&confidence=1&ip=192.0.2.1 '],
  });
});

test('what is wrong is said, with what to do, and without the key', async () => {
  const akismet = 'akismet: {url: "$service/", site: "https://www.example.com/"}';
  expect((await look(akismet, { body: 'invalid' }, { AKISMET_KEY: 'secret' })).found).toEqual([
    'warning akismet at HOST: the service does not take the key; until this works, it speaks against no submission of "a" and 1 more -> Copy the key again from your account there, and see whether it has ended.',
  ]);
  expect((await look(akismet, {})).found).toEqual([
    expect.stringMatching(/AKISMET_KEY is not set.*-> Set it where the relay runs\.$/),
  ]);
  expect((await look('akismet: {url: "$service/"}', {}, { AKISMET_KEY: 'secret' })).found).toEqual([
    expect.stringMatching(/neither `site` nor PUBLIC_URL/),
  ]);
  expect((await look('stopforumspam: {url: "$service"}', { body: '<html>' })).found).toEqual([
    expect.stringMatching(/no verdict.*-> Check `url`/),
  ]);
});

test('one that nobody can reach', async () => {
  const diagnoses = await diagnose(
    examineServices,
    `forms: {a: ${form('stopforumspam: {url: "http://127.0.0.1:1"}')}}`,
  );
  expect(diagnoses).toEqual([
    'warning stopforumspam at 127.0.0.1:1: connect ECONNREFUSED; until this works, it speaks against no submission of "a" -> Nothing listens on port 1 of 127.0.0.1: check the port, and that the server runs.',
  ]);
});
