import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { configSchemaText } from '../../packages/relay/src/config/json_schema.ts';
import { captcha } from '../../packages/relay/src/features/captcha/captcha.ts';
import { minFill } from '../../packages/relay/src/features/min_fill.ts';
import { recipes } from '../../packages/studio/src/recipes.ts';
import { parseConfig } from '../support/parse_config.ts';
import { openTerminal } from './terminal.ts';

/** What `relay init` writes, by file name. */
async function written(): Promise<Readonly<Record<'config' | 'schema', string>>> {
  const { cwd, run } = await openTerminal();
  await run('relay init');
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const config = read('webform.yaml');
  // Where an editor looks: beside the config.
  const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(config) ?? [];
  return { config, schema: read(schema) };
}

/** Uses every key that the comments show. Sentences begin with a capital letter. */
const withEverything = (config: string) =>
  config.replaceAll(/^( *)# (?=[-a-z ])(?!yaml-language-server| *relay )/gm, '$1');

test.each([
  ['as it is', (config: string) => config],
  ['with every key that its comments show', withEverything],
])('the first config loads without a warning, and editors have nothing against it: %s', async (_, edit) => {
  const { config, schema } = await written();
  const result = parseConfig(edit(config), 'webform.yaml');
  expect(result.ok ? await result.value.warnings() : result.error).toEqual([]);
  const check = new Ajv({ strict: false, allErrors: true, formats: { uri: true, date: true } }).compile(
    JSON.parse(schema),
  );
  check(load(edit(config)));
  expect(check.errors ?? []).toEqual([]);
});

test('the comments of the first config show keys of every part', async () => {
  const { config } = await written();
  const result = parseConfig(withEverything(config), 'webform.yaml');
  const form = result.ok ? result.value.forms.get('contact') : undefined;
  expect(form?.outputs.map(({ type }) => type)).toEqual(['http_post', 'smtp']);
  expect((form && captcha.of(form))?.provider).toBe('turnstile');
  expect((form && minFill.of(form))?.tooFast).toBe('doubt');
  expect(form?.redirect).toBeDefined();
});

test('the first config delivers nowhere: its host is of a name that nobody can have', async () => {
  const { config } = await written();
  const { forms } = load(config) as { forms: { contact: { outputs: { url: string }[] } } };
  expect(forms.contact.outputs.map(({ url }) => new URL(url).hostname)).toEqual(['your-server.invalid']);
});

const forEditors = new Ajv({ strict: false, allErrors: true, formats: { uri: true, date: true } }).compile(
  JSON.parse(await configSchemaText()),
);

test.each(recipes)(
  'relay init --output $name writes what its page shows, which editors take',
  async ({ name, config }) => {
    const { cwd, run } = await openTerminal();
    expect((await run(`relay init --output ${name}`)).code).toBe(0);
    const written = readFileSync(join(cwd, 'webform.yaml'), 'utf8');
    const [header, text] = [written.slice(0, -config.length), written.slice(-config.length)];
    expect(text).toBe(config);
    expect(header.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
    const result = parseConfig(written, 'webform.yaml');
    expect(result.ok ? await result.value.warnings() : result.error).toEqual([]);
    forEditors(load(text));
    expect(forEditors.errors ?? []).toEqual([]);
  },
);
