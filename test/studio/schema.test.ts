/** The words of a config, as the studio's page asks for them, and what its editor makes of them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { choicesIn, keysIn, nodeIn, type SchemaNode } from '../../packages/studio/app/schema_nodes.ts';
import type { Json, Path } from '../../packages/studio/edit/index.ts';
import { stage } from './stage.ts';

const published = readFileSync('docs/webform.schema.json', 'utf8');
const schema: SchemaNode = JSON.parse(published);

const config: Json = {
  forms: {
    contact: {
      fields: [{ name: 'a' }, { type: 'select' }, null, { note: 'x' }, { type: 'nothing' }],
      outputs: [{ type: 'email' }, { to: 'x' }, { type: 'http_post', mapping: {} }],
      captcha: { provider: 'turnstile' },
      confirmation_mail: { through: { type: 'smtp' } },
      double_opt_in: { through: 0 },
    },
  },
};
const contact = (...path: Path): Path => ['forms', 'contact', ...path];
const names = (path: Path) => keysIn(schema, path, config).map(({ name }) => name);
const key = (path: Path, name: string) => keysIn(schema, path, config).find((one) => one.name === name);

describe('the studio serves', () => {
  test('the published schema of the config', async () => {
    const at = await stage({ config: 'forms: {}\n' });
    const { status, headers, text } = await at.request('/studio/schema.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual(schema);
  });

  test('the words of templates, each with what it does', async () => {
    const at = await stage({ config: 'forms: {}\n' });
    const words = JSON.parse((await at.request('/studio/template_words.json')).text);
    expect(words.functions).toContainEqual({
      name: 'default',
      parameters: ['literal', 'text'],
      summary: 'Use the literal when the value is empty.',
    });
    expect(words.references.map(({ name }: { name: string }) => name)).toContain('.fields.<name>');
  });
});

describe('the keys of a map', () => {
  test.each([
    ['of a field without a type are those of a text', contact('fields', 0), 'max_length', 'options'],
    ['of a field follow its type', contact('fields', 1), 'options', 'max_length'],
    ['of a field not begun may become a note', contact('fields', 2), 'note', 'options'],
    ['of a note are its own', contact('fields', 3), 'note', 'name'],
    ['of a field of an unknown type are its type', contact('fields', 4), 'type', 'name'],
    ['of an output follow its type', contact('outputs', 0), 'subject', 'url'],
    ['of an output without a type are its type', contact('outputs', 1), 'type', 'to'],
    ['of a captcha follow its provider', contact('captcha'), 'site_key', 'min_score'],
    ['of a form that is not there', ['forms', 'new'], 'outputs', 'name'],
    ['behind a reference', contact('outputs', 0, 'when'), 'is_not', 'name'],
    ['among several kinds of value', contact('spam', 'doubt'), 'challenge', 'field'],
    ['of the file', [], 'forms', 'fields'],
  ] as const)('%s', (_, path, there, missing) => {
    expect(names(path)).toContain(there);
    expect(names(path)).not.toContain(missing);
  });

  test('say what they are', () => {
    expect(key(contact(), 'rate_limit')).toMatchObject({
      kind: 'text',
      kindName: 'rate',
      placeholder: '5 per 10m',
      isRequired: false,
    });
    expect(key(contact('fields', 0), 'required')).toMatchObject({ kind: 'boolean', default: false });
    expect(key(contact('fields', 0), 'name')).toMatchObject({ kind: 'text', isRequired: true });
    expect(key(contact('fields', 1), 'options')).toMatchObject({ kind: 'list', isRequired: true });
    expect(key(contact('outputs', 0), 'on_error')).toMatchObject({
      kind: 'choice',
      choices: ['fail', 'continue'],
      default: 'fail',
    });
    expect(key(contact('outputs', 0), 'static')).toMatchObject({ kind: 'map' });
    expect(key(contact('outputs', 0), 'retries')).toMatchObject({ kind: 'number', default: 1 });
    expect(key(contact('outputs', 0), 'mapping')).toMatchObject({ kind: 'any' });
  });

  test('each have the manual’s text', () => {
    const maps = [[], contact(), contact('fields', 0), contact('outputs', 0), contact('captcha')];
    const keys = maps.flatMap((path) => keysIn(schema, path, config));
    expect(keys.length).toBeGreaterThan(60);
    expect(keys.filter(({ description }) => description === '')).toEqual([]);
  });
});

test('the server of a mail to the visitor has the keys of its type, where it is one of its own', () => {
  expect(names(contact('confirmation_mail', 'through'))).toEqual(
    expect.arrayContaining(['type', 'host', 'port', 'username', 'password', 'tls', 'from', 'timeout']),
  );
  expect(names(contact('confirmation_mail', 'through'))).not.toContain('subject');
  expect(names(contact('double_opt_in', 'through'))).toEqual([]);
});

test('choices carry the manual’s text', () => {
  const types = choicesIn(schema, contact('fields', 0, 'type'), config);
  expect(types).toContainEqual({ value: 'textarea', description: 'Several lines of text.' });
  expect(choicesIn(schema, contact('outputs', 1, 'type'), config).map(({ value }) => value)).toContain(
    'slack',
  );
  expect(choicesIn(schema, contact('spam', 'proof_of_work'), config).map(({ value }) => value)).toEqual([
    true,
    false,
    'auto',
  ]);
});

test('a path that no config has leads nowhere', () => {
  expect(nodeIn(schema, contact('fields', 'x'), config)).toBeUndefined();
  expect(nodeIn(schema, contact('outputs', 2, 'mapping', 'mail'), config)).toBeDefined();
});
