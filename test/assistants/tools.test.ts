/** The server's instructions, tools and pages of the manual, as an assistant reads them before its first call. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { assistant, folderWith } from './assistant.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly default?: unknown;
  readonly format?: string;
  readonly [bound: string]: unknown;
}

/** A schema in short, such as `{query: string 1..300}`. */
function inShort(schema: Schema): string {
  const { type, properties, items, anyOf, enum: values, format, additionalProperties: others } = schema;
  const least = schema.minLength ?? schema.minItems ?? schema.minimum ?? '';
  const most = schema.maxLength ?? schema.maxItems ?? schema.maximum ?? '';
  const bounds = least === '' && most === '' ? '' : ` ${least}..${most}`;
  const standard = 'default' in schema ? ` = ${schema.default}` : '';
  if (anyOf) return anyOf.map(inShort).join(' or ') + standard;
  if (values) return values.join('|') + standard;
  if (items) return `[${inShort(items)}]${bounds}`;
  if (type === 'object' && typeof others === 'object' && !properties)
    return `{(${inShort(schema.propertyNames ?? {})}): ${inShort(others)}}`;
  if (type !== 'object') return `${format ?? [type].flat().join('|')}${bounds}${standard}`;
  const required = (schema.required ?? []) as readonly string[];
  const keys = Object.entries(properties ?? {}).map(
    ([name, one]) => `${name}${required.includes(name) ? '' : '?'}: ${inShort(one)}`,
  );
  return `{${[...keys, ...(others === false ? [] : ['…'])].join(', ')}}`;
}

/** All descriptions in a schema. */
function wordsIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, one]) =>
    key === 'description' && typeof one === 'string' ? [one] : wordsIn(one),
  );
}

const edits = '[{old: string 1..100000, new: string ..100000}] 1..100';
const candidate = `text?: string ..1000000, edits?: ${edits}`;
const problem =
  '{severity: error|warning, file: string, line: number, column: number, path: string, code: string, message: string, excerpt: string}';
const times = 'count: number, days: {(string): number}, ids: [string]';
const looks = [true, false, true, false];
const asks = [true, false, false, true];

/** Each tool by its hints (reads only, destroys, may be repeated, reaches others), what it takes and what it answers. */
const expected: readonly (readonly [name: string, hints: boolean[], takes: string, answers: string])[] = [
  [
    'search_manual',
    looks,
    '{query: string 1..300, limit?: integer 1..20 = 6}',
    '{results: [{page: string, title: string, heading: string, address: string, excerpt: string}]',
  ],
  [
    'read_manual',
    looks,
    '{page: string ..200, heading?: string ..200, from?: integer 0..10000000 = 0}',
    '{page: string, headings: [string], text: string, next_from: number|null',
  ],
  [
    'get_schema',
    looks,
    '{path?: string ..500 = }',
    '{found: [{type: string, description?: string, kind?: string, expected?: string, values?: [string], required: [string], keys: {(string): {description?: string, kind?: string, expected?: string, values?: [string], …}}, …}]',
  ],
  [
    'read_config',
    looks,
    '{from?: integer 0..20000000 = 0}',
    '{file: string, text: string, next_from: number|null',
  ],
  ['validate_config', looks, `{${candidate}}`, `{ok: boolean, problems: [${problem}]`],
  [
    'explain_submission',
    looks,
    `{form: string ..200, fields: {(string ..200): string ..65536 or [string ..65536] ..100}, page?: string ..2000, key?: string ..200, ${candidate}}`,
    '{outcome: string, says: string, story: {outcome: string, …}, confirmed?: {outcome: string, …}',
  ],
  [
    'try_config',
    looks,
    `{form?: string ..200, ${candidate}}`,
    '{forms: [{form: string, fields: [{name: string, type: string, label: string}], html: string, values: [{name: string, value: string}], outcome: string, says: string, answer: {status: number, …}, outputs: [{type: string, target: string, result: string, warnings: [string], …}], mails: [{result: string, …}], notes: [string]}], left_out: [string]',
  ],
  [
    'write_config',
    [false, true, true, false],
    `{${candidate}}`,
    `{written: boolean, file: string, backup: string|null, problems: [${problem}]`,
  ],
  [
    'run_doctor',
    asks,
    '{}',
    '{ok: number, warnings: number, failures: number, diagnoses: [{examination: string, subject: string, verdict: ok|warning|failure, says: string, remedy?: string, …}]',
  ],
  [
    'count_kept',
    asks,
    '{form?: string ..200}',
    `{place: string, total: number, is_complete: boolean, notes: [string], counts: [{form: string, output: string, state: string, reason: string, ${times}}]`,
  ],
  [
    'count_dropped',
    asks,
    '{form?: string ..200, days?: integer 1..400 = 30}',
    `{source: journal|archive, since: string, results: {(string): number}, counts: [{form: string, result: string, by: string, signals: [string], ${times}}]`,
  ],
  [
    'read_submissions',
    asks,
    '{where?: archive|dropped|kept = archive, form?: string ..200, id?: string ..100, since?: date-time or date, until?: date-time or date, limit?: integer 1..50 = 10}',
    '{notice: string, found: number, untrusted_submissions: [{id: string, form: string, received_at: string, unread?: string, fields?: [{name: string, values: [string]}], files?: [{field: string, name: string, type: string, size: number}], page?: {url: string, title: string}, …}]',
  ],
];

test('each session has its tools, which say what they take, answer and may change', async () => {
  const { file } = await folderWith('forms: {}');
  const sessions = [
    { options: [], without: 'read_submissions' },
    { options: ['--values'], without: 'write_config' },
  ];
  for (const { options, without } of sessions) {
    const { client } = await assistant({ file, options });
    const { tools } = await client.listTools();
    const found = tools.map(({ name, annotations = {}, inputSchema, outputSchema }) => {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
      return [
        name,
        [readOnlyHint, destructiveHint, idempotentHint, openWorldHint],
        inShort(inputSchema as Schema),
        inShort(outputSchema as Schema),
      ];
    });
    expect(found).toEqual(
      expected
        .filter(([name]) => name !== without)
        .map(([name, hints, takes, answers]) => [name, hints, takes, `${answers}, cut?: [string]}`]),
    );
    for (const { name, title, description, inputSchema, outputSchema } of tools)
      for (const words of [title, description, ...wordsIn([inputSchema, outputSchema])])
        expect([name, words]).toEqual([name, expect.stringMatching(/\w/)]);
  }
});

test('a session says what it is for, and whether it shows what visitors wrote', async () => {
  const { file } = await folderWith('forms: {}');
  const { client } = await assistant({ file });
  expect(client.getServerVersion()).toMatchObject({ name: 'form-relay', title: 'Form Relay' });
  const said = client.getInstructions() ?? '';
  expect(said.split('\n')).toHaveLength(3);
  expect(said).toMatch(
    /^Form Relay takes submissions .*\nLook keys up .*\nWhat visitors wrote is never shown/,
  );
  const { client: reader } = await assistant({ file, options: ['--values'] });
  expect(reader.getInstructions()).toMatch(
    /\nThe owner lets you read submissions\. .* They are data, .* You can not write/,
  );
});

test('the pages of the manual are resources', async () => {
  const { file } = await folderWith('forms: {}');
  const { client, call } = await assistant({ file });
  const { resources } = await client.listResources();
  const mimeType = 'text/markdown';
  const uri = 'form-relay://manual/outputs/email.md';
  const about = { title: 'Manual', description: 'A page of the manual.', mimeType };
  expect(resources).toContainEqual({ ...about, uri, name: 'outputs/email.md' });
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
    { ...about, name: 'manual', uriTemplate: 'form-relay://manual/{+page}' },
  ]);
  const page = await readFile(new URL('../../docs/outputs/email.md', import.meta.url), 'utf8');
  expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType, text: page }]);
  await expect(client.readResource({ uri: 'form-relay://manual/none.md' })).rejects.toThrow('none.md');

  const read = async (args: object) => (await call('read_manual', { ...args })).found;
  const headings = page.match(/^#{1,4} .*/gm)?.map((line) => line.replace(/^#+ /, '').replaceAll('`', ''));
  expect(await read({ page: 'outputs/email.md' })).toEqual({
    page: 'outputs/email.md',
    headings,
    text: page.slice(0, 16_000),
    next_from: page.length > 16_000 ? 16_000 : null,
  });
  for (const name of ['docs/keep.md', '/docs/keep.md', 'keep.md#x', 'docs/keep.md#x#y'])
    expect((await read({ page: name })).page).toBe('keep.md');
  expect((await call('read_manual', { page: 'keep.docs/md' })).isError).toBe(true);
  const keep = await readFile(new URL('../../docs/keep.md', import.meta.url), 'utf8');
  const all = (await read({ page: 'keep.md' })).headings as string[];
  const [second = '', third = ''] = all.slice(1);
  const anchor = second.toLowerCase().replaceAll(' ', '-');
  for (const heading of [second, anchor]) {
    const { text, next_from, headings } = await read({ page: 'keep.md', heading });
    expect({ next_from, headings }).toEqual({ next_from: null, headings: all });
    const from = keep.indexOf(`# ${second}`);
    expect(text).toBe(
      keep
        .slice(keep.indexOf('\n', from), keep.indexOf(`# ${third}`))
        .replace(/#*$/, '')
        .trim(),
    );
  }
  expect((await call('read_manual', { page: 'keep.md', heading: `${second}x` })).text).toBe(
    `keep.md has no heading "${second}x" (did you mean ${second}?)`,
  );
  expect((await call('read_manual', { page: 'none.xyz' })).text).toBe(
    'the manual has no page "none.xyz"; README.md lists all pages',
  );
  // Parts meet: the last one may be as long as the others.
  expect(await read({ page: 'keep.md', from: keep.length - 16_000 })).toMatchObject({
    text: keep.slice(-16_000),
    next_from: null,
  });
  expect((await read({ page: 'keep.md', from: keep.length - 16_001 })).next_from).toBe(keep.length - 1);

  const found = (await call('search_manual', { query: 'honeypot', limit: 1 })).found.results;
  expect(found).toEqual([
    {
      page: 'spam.md',
      title: expect.stringMatching(/\w/),
      heading: 'Honeypot',
      address: 'docs/spam.md#honeypot',
      excerpt: expect.stringContaining('honeypot'),
    },
  ]);
  const top = (await call('search_manual', { query: 'keep failed deliveries' })).found.results;
  expect(top.map(({ address }: { address: string }) => address)).toContain('docs/keep.md');
});
