import { featureContract } from 'form-relay/testing';
import { expect, test } from 'vitest';
import { relayWith, warningsOf } from '../test/support/index.ts';

test.each([
  ...featureContract({
    ...{ name: 'remember', form: { fields: [{ name: 'name' }], remember: '7d' } },
    passes: [{ name: 'Ada Lovelace' }],
    stops: [],
  }),
])('$name', ({ run }) => run());

const config = (keys: string, fields: string) =>
  `forms: {contact: {${keys}, fields: [${fields}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}`;

test('the form lists what its script may store: no secrets, codes, consents, files or hidden values', async () => {
  const fields = `{name: email, type: email}, {name: iban, remember: false}, {name: tax, autocomplete: "off"}, {name: code, autocomplete: one-time-code},
    {name: key, autocomplete: section-a new-password}, {name: card, autocomplete: cc-number}, {name: ad, type: hidden, value: x},
    {name: plan, type: file, accept: [text]}, {name: agree, type: consent, label: Yes}, {name: rows, type: repeat, fields: [{name: a}, {name: pin, remember: false}]}`;
  const relay = await relayWith({ config: config('remember: 90m', fields) });
  const { text } = await relay.get('/api/v1/form/contact?as=page', { accept: 'text/html' });
  const rule = JSON.parse(/data-remember="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#34;', '"') ?? '{}');
  expect(rule).toMatchObject({ ms: 5_400_000, again: false });
  expect(rule.fields.filter((name: string) => !name.startsWith('rows.'))).toEqual(['email']);
  expect(rule.fields.filter((name: string) => name.endsWith('.pin'))).toEqual([]);
  expect(text).toMatch(/data-parts="[^"]*remember/);
  expect((await relay.get('/api/v1/remember.js')).headers.get('content-type')).toContain('text/javascript');
});

test('a form without anything to store causes a warning', async () => {
  const warnings = await warningsOf(
    config('remember: 7d', '{name: n, remember: false}, {name: s, type: hidden}'),
  );
  expect(warnings).toContain('no field of this form may be remembered');
});
