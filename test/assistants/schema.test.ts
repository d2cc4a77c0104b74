/** Keys of the config are looked up by the paths that problems have. */
import { expect, test } from 'vitest';
import { described, findSchemas, segmentsOf } from '../../packages/cli/src/mcp/schema_lookup.ts';
import type { JsonSchema } from '../../packages/relay/src/config/json_schema.ts';
import { assistant, folderWith } from './assistant.ts';

const kinds = (...names: string[]) =>
  names.map((name) => ({
    if: { properties: { type: { const: name } } },
    // biome-ignore lint/suspicious/noThenProperty: as JSON Schema has it.
    then: { properties: { type: { const: name }, [`of_${name}`]: { title: name }, both: { title: 'both' } } },
  }));

/** With each way in which a schema leads to another one. */
const root = {
  definitions: {
    form: { properties: { outputs: { items: { $ref: '#/definitions/output' } }, aside: { title: 'aside' } } },
    output: { properties: { type: { title: 'types' } }, allOf: kinds('web', 'mail') },
    endless: { $ref: '#/definitions/endless' },
  },
  properties: {
    forms: { additionalProperties: { $ref: '#/definitions/form' } },
    closed: { additionalProperties: false, properties: { known: { title: 'known' } } },
    either: { anyOf: [{ title: 'any' }, true], oneOf: [{ properties: { one: { title: 'one' } } }, 5] },
    chosen: {
      if: {},
      // biome-ignore lint/suspicious/noThenProperty: as JSON Schema has it.
      then: { title: 'yes' },
      else: { title: 'no' },
    },
    all: { allOf: [{ title: 'all' }] },
    twice: { anyOf: [{ title: 'same' }, { title: 'same' }] },
    nested: { items: { items: { properties: { deep: { title: 'deep' } } } } },
    lost: { $ref: '#/definitions/none' },
    endless: { $ref: '#/definitions/endless' },
    word: { title: 'a word' },
  },
} as unknown as JsonSchema;

test.each<[path: string, found: string[]]>([
  ['word', [' a word']],
  ['.word', [' a word']],
  ['words', []],
  ['toString', []],
  ['forms.contact.aside', [' aside']],
  ['forms.*.aside', [' aside']],
  ['forms.x.y', []],
  ['closed.known', [' known']],
  ['closed.other', []],
  ['forms.contact.outputs[0].type', [' types', 'web ', 'mail ']],
  ['forms.contact.outputs[0].of_web', ['web web']],
  ['forms.contact.outputs[12].of_web', ['web web']],
  ['forms.contact.outputs[].of_mail', ['mail mail']],
  ['forms.contact.outputs.*.of_mail', ['mail mail']],
  ['forms.contact.outputs.of_mail', ['mail mail']],
  ['forms.contact.outputs.both', ['web both', 'mail both']],
  ['forms.contact.outputs.web.both', ['web both']],
  ['forms.contact.outputs[0].mail.both', ['mail both']],
  ['forms.contact.outputs.web.of_mail', []],
  ['forms.contact.outputs.fax', []],
  ['either', [' any', ' ']],
  ['either.one', [' one']],
  ['chosen', [' yes', ' no']],
  ['all', [' all']],
  ['twice', [' same']],
  ['nested.x1', []],
  ['nested[0][1].deep', [' deep']],
  ['nested.deep', [' deep']],
  ['nested[0].1x', []],
  ['lost', []],
  ['endless', []],
])('the schemas at %j are found', (path, expected) => {
  const found = findSchemas(root, segmentsOf(path)).filter(
    ({ schema }) => path !== 'either' || !('anyOf' in schema),
  );
  const named = found.filter(({ schema }) => path !== 'twice' || !('anyOf' in schema));
  expect(named.map(({ type, schema }) => `${type} ${schema.title ?? ''}`)).toEqual(expected);
});

test.each<[schema: object, expected: object]>([
  [{ title: 'URL', type: 'string' }, { kind: 'URL' }],
  [{ type: 'string' }, { kind: 'string' }],
  [{ type: ['string', 'null'] }, { kind: 'string or null' }],
  [{}, {}],
  [
    { default: false, description: 'Words.' },
    { default: false, description: 'Words.' },
  ],
  [{ enum: ['a', 1, true] }, { values: ['a', '1', 'true'] }],
  [{ errorMessage: 'Expected a.' }, { expected: 'Expected a.' }],
  [{ errorMessage: { type: 'a' } }, {}],
  [{ $ref: '#/definitions/form', title: 'beside' }, {}],
  [{ $ref: '#/definitions/output', title: 'beside' }, {}],
])('%j is described', (schema, expected) => {
  expect(described(schema as JsonSchema, root)).toStrictEqual(expected);
});

test('a key comes with its facts and the keys below it; an unknown one with a similar one', async () => {
  const { file } = await folderWith('forms: {}');
  const { call } = await assistant({ file });
  const found = async (path?: string) => (await call('get_schema', { path })).found.found;
  expect(await found('forms.*.outputs.webhook.url')).toEqual([
    {
      type: 'webhook',
      kind: 'URL',
      description: expect.stringContaining('Where to send it'),
      expected: 'Expected a URL that starts with https:// or http://.',
      required: [],
      keys: {},
    },
  ]);
  const [keep, ...none] = await found('keep');
  expect(none).toEqual([]);
  expect(keep).toMatchObject({ type: '', required: ['in'] });
  expect(keep.keys).toMatchObject({
    in: { kind: 'text' },
    // biome-ignore lint/suspicious/noThenProperty: as the config has it.
    then: { default: 'aside', values: ['aside', 'delete'] },
  });
  expect(await found()).toEqual(await found(''));
  // A map of the owner's names shows what stands in it.
  expect((await found('forms')).map(({ keys }: { keys: object }) => 'outputs' in keys)).toEqual([
    false,
    true,
  ]);
  // Many at once are names alone.
  const fields = await found('forms.contact.fields');
  const text = fields.find(({ type }: { type: string }) => type === 'text');
  expect(text.keys).toMatchObject({ name: {}, max_length: {} });
  expect(text.keys.name).toEqual({});
  for (const [path, near] of [
    ['kep', ' (did you mean keep?)'],
    ['forms.contact.redirec', ' (did you mean redirect?)'],
    ['forms.contact.spam.honypot', ' (did you mean honeypot?)'],
    ['forms.contact.redirec.more', ' (did you mean redirect?)'],
    ['forms.contact.outputs[0].urll', ' (did you mean url?)'],
    ['forms.contact.outputs.urll', ' (did you mean url?)'],
    ['forms.contact.outputs.webhok', ' (did you mean webhook?)'],
    ['forms.contact.xyzzy', ''],
  ])
    expect(await call('get_schema', { path })).toMatchObject({
      isError: true,
      text: `the config has no key ${path}${near}`,
    });
});
