import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formatProblem } from '../../packages/yaml/src/problem.ts';
import { startS3 } from '../aws/aws.ts';
import { relayWith } from '../spec/stage.ts';

const form =
  '{fields: [{name: name, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}';
const inEsperanto = (path: string) =>
  `cache_ttl: 30s\nlanguage: eo\nlanguage_files: {eo: ${path}}\nforms: {contact: ${form}}\n`;

/** A folder with these files, written some time ago. */
function folderWith(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'form-relay-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), 1_000_000_000, 1_000_000_000);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { folder, write };
}

const started = (folder: string) => relayWith({ env: { CONFIG_FILE: join(folder, 'site/webform.yaml') } });

test('a language of the owner’s own stands in a file beside the config', async () => {
  const { folder } = folderWith({
    'site/webform.yaml': inEsperanto('words/esperanto.yaml'),
    'site/words/esperanto.yaml': 'submit: Sendu\ntoo_short: {one: litero, other: literoj}\n',
  });
  const { get, relay } = await started(folder);
  const { text } = await get('/api/v1/form/contact');
  expect(text).toContain('lang="eo" dir="ltr"');
  expect(text).toContain('>Sendu</button>');
  // What it lacks is said in English, and the owner knows.
  expect(text).toContain('* means required.');
  const warnings = (await (await relay.config.get())?.warnings()) ?? [];
  expect(warnings.map(formatProblem)).toEqual([
    expect.stringMatching(
      /site\/webform.yaml:3:22: warning: language_files.eo: "eo" lacks \d+ texts, which are said in English: form_name_missing, .* and \d+ more$/,
    ),
  ]);
});

test('a file for a language that the relay speaks changes what it says there', async () => {
  const { folder } = folderWith({
    'site/webform.yaml': inEsperanto('du.yaml').replaceAll('eo', 'de'),
    'site/du.yaml': 'missing: Da fehlt was.\n',
  });
  const { submit, relay } = await started(folder);
  const { text } = await submit('contact', [], { 'hx-request': 'true' });
  expect(text).toContain('Da fehlt was.');
  expect(text).toContain('>Senden</button>');
  expect(await (await relay.config.get())?.warnings()).toEqual([]);
});

test.each([
  ['a file', 'language_files: {eo-br: eo.yaml}'],
  ['texts in the config', 'messages: {eo-br: {submit: Sendu}}'],
])('a tag in small letters names its language: %s', async (_, words) => {
  const { folder } = folderWith({
    'site/webform.yaml': `language: eo-BR\n${words}\nforms: {contact: ${form}}\n`,
    'site/eo.yaml': 'submit: Sendu',
  });
  expect((await (await started(folder)).get('/api/v1/form/contact')).text).toContain('>Sendu</button>');
});

test.each([
  ['there is none', undefined, /language_files\.eo: esperanto\.yaml: there is no such file$/],
  ['it is no YAML', 'submit: [', /site\/esperanto\.yaml:1:\d+: /],
  ['it is a list', '- submit', /site\/esperanto\.yaml:1:1: found a list; expected a map/],
  ['a name is mistyped', 'sumbit: x', /site\/esperanto\.yaml:1:1: sumbit: .*did you mean submit/],
  [
    'a parameter is mistyped',
    'too_long: "{maks}"',
    /site\/esperanto\.yaml:1:12: too_long: there is no \{maks\} .*it has \{max\}$/,
  ],
])('the config does not load where %s', async (_, text, expected) => {
  const { folder } = folderWith({
    'site/webform.yaml': inEsperanto('esperanto.yaml'),
    ...(text !== undefined && { 'site/esperanto.yaml': text }),
  });
  const { get, logged } = await started(folder);
  expect((await get('/api/v1/form/contact')).status).toBe(500);
  expect(logged).toMatchObject([
    { event: 'config_invalid', problems: [expect.stringMatching(expected)] },
    { event: 'refused' },
  ]);
});

test('the file is read again with the config, and one that breaks keeps the last good words', async () => {
  const { folder, write } = folderWith({
    'site/webform.yaml': inEsperanto('esperanto.yaml'),
    'site/esperanto.yaml': 'submit: Sendu\n',
  });
  const { get, advance, relay } = await started(folder);
  const button = async () =>
    /<button[^>]*>(.*)<\/button>/.exec((await get('/api/v1/form/contact')).text)?.[1];
  expect(await button()).toBe('Sendu');
  const before = relay.config.current;
  advance(31_000);
  expect(await button()).toBe('Sendu');
  expect(relay.config.current).toBe(before);
  write('site/esperanto.yaml', 'submit: Ek\n');
  expect(await button()).toBe('Sendu');
  advance(31_000);
  await expect.poll(button).toBe('Ek');
  write('site/esperanto.yaml', 'submit: [\n');
  advance(31_000);
  await button();
  await expect.poll(() => relay.config.state).toBe('refresh_failed');
  expect(await button()).toBe('Ek');
  write('site/esperanto.yaml', 'submit: Nun\n');
  advance(31_000);
  await expect.poll(button).toBe('Nun');
});

test('in a bucket, the file stands beside the config', async () => {
  const s3 = await startS3();
  await s3.put('site/webform.yaml', inEsperanto('esperanto.yaml'));
  await s3.put('site/esperanto.yaml', 'submit: Sendu');
  const { get } = await relayWith({
    env: {
      CONFIG_BUCKET: 'configs',
      CONFIG_KEY: 'site/webform.yaml',
      AWS_ENDPOINT_URL: s3.origin,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    },
  });
  expect((await get('/api/v1/form/contact')).text).toContain('>Sendu</button>');
});
