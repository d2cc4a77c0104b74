import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recipes } from '@form-relay/starters/recipes';
import { templates } from '@form-relay/starters/templates';
import { configHeader } from '@form-relay/starters/write_config';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { exceptExamples, parseConfig } from '../../../test/support/parse_config.ts';
import { configSchemaText } from '../../runtimes/src/inspect.ts';
import { openTerminal } from './terminal.ts';

/** The files that `relay init` writes, by name. */
async function written(): Promise<Readonly<Record<'config' | 'schema', string>>> {
  const { cwd, run } = await openTerminal();
  await run('relay init');
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const config = read('webform.yaml');
  // Where an editor looks: next to the config.
  const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(config) ?? [];
  return { config, schema: read(schema) };
}

/** Uses every key that the comments show. Sentences begin with a capital letter. */
const withEverything = (config: string) =>
  config.replaceAll(/^( *)# (?=[-a-z ])(?!yaml-language-server| *relay )/gm, '$1');

test.each([
  ['as it is', (config: string) => config],
  ['with every key that its comments show', withEverything],
])('the first config lacks an address alone, and editors have nothing against it: %s', async (_, edit) => {
  const { config, schema } = await written();
  const result = parseConfig(edit(config), 'webform.yaml');
  const problems = result.ok ? await result.value.warnings() : result.error;
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['output_address_reserved']));
  const check = new Ajv({ strict: false, allErrors: true, formats: { uri: true, date: true } }).compile(
    JSON.parse(schema),
  );
  check(load(edit(config)));
  expect(check.errors ?? []).toEqual([]);
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
    expect(result.ok ? exceptExamples(await result.value.warnings()) : result.error).toEqual([]);
    forEditors(load(text));
    expect(forEditors.errors ?? []).toEqual([]);
  },
);

const templateFolder = new URL('../../../packages/starters/templates/', import.meta.url);

/** Set, but with nothing behind it. */
const env = Object.fromEntries(
  ['SMTP_USERNAME', 'SMTP_PASSWORD', 'FORM_TOKEN_SECRET', 'LIST_TOKEN'].map((name) => [
    name,
    'q7Zk2mVr9sLd4kTz8wBnX5cF',
  ]),
);

test('there are twelve templates, each of which says what it is', () => {
  expect(templates.map(({ name }) => `${name}.yaml`).toSorted()).toEqual(
    readdirSync(templateFolder).toSorted(),
  );
  expect(templates).toHaveLength(12);
  for (const { title, says } of templates) {
    expect(title).toMatch(/^[A-Z][\w ]+$/);
    expect(says).toMatch(/^[A-Z].*\.$/);
  }
});

test.each(templates)(
  'relay init --template $name writes its file byte for byte, which lacks only addresses',
  async ({ name }) => {
    const { cwd, run } = await openTerminal({ env: { ...env, PUBLIC_URL: 'https://forms.example.com' } });
    const { code, stdout } = await run(`relay init --template ${name}`);
    expect(code).toBe(0);
    const written = readFileSync(join(cwd, 'webform.yaml'));
    expect(written.equals(readFileSync(new URL(`${name}.yaml`, templateFolder)))).toBe(true);
    const text = String(written);
    expect(text.startsWith(`${configHeader}\n# `)).toBe(true);
    const validated = await run('relay config validate');
    expect(validated).toMatchObject({ code: 0, stdout: 'ok\n' });
    // The addresses are the owner's to replace.
    const others = validated.stderr
      .match(/warning: .*/g)
      ?.filter((line) => !/a name for examples/.test(line));
    expect(others ?? []).toEqual([]);
    forEditors(load(text));
    expect(forEditors.errors ?? []).toEqual([]);
    // All that it asks for is among what is left to do.
    for (const [, variable] of text.matchAll(/env "(\w+)"/g)) expect(stdout).toContain(`set ${variable} in`);
    expect(stdout).toContain('set FORM_TOKEN_SECRET in the environment');
    expect(stdout.includes('create the folder /var/lib/form-relay')).toBe(text.includes('\nkeep:\n'));
    expect(stdout).toMatch(/relay dev .*\n +relay doctor /);
  },
);
