import { expect, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { formatProblem } from '../../yaml/src/problem.ts';

const form =
  '{fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}';

test('a language of the owner’s own stands in messages', async () => {
  const texts = '{submit: Sendu, too_short: {one: litero, other: literoj}}';
  const config = `language: eo\nmessages: {eo: ${texts}}\nforms: {contact: ${form}}`;
  const { get, relay } = await relayWith({ config });
  const { text } = await get('/api/v1/form/contact');
  expect(text).toContain('lang="eo" dir="ltr"');
  expect(text).toContain('>Sendu</button>');
  // Missing texts are in English, and the owner is warned.
  expect(text).toContain('* means required.');
  const warnings = (await (await relay.config.get())?.warnings()) ?? [];
  expect(warnings.map(formatProblem)).toEqual([
    expect.stringMatching(
      /config:2:12: warning: messages.eo: "eo" lacks \d+ texts, which are said in English: form_name_missing, .* and \d+ more$/,
    ),
  ]);
});

test('a tag in small letters names its language', async () => {
  const config = `language: eo-BR\nmessages: {eo-br: {submit: Sendu}}\nforms: {contact: ${form}}\n`;
  expect((await (await relayWith({ config })).get('/api/v1/form/contact')).text).toContain('>Sendu</button>');
});
