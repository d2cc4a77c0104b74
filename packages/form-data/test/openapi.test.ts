import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS from 'openapi-typescript';
import { startRelay, suiteFolder } from '../../../test/support/index.ts';
import { startTemplates } from './templates.ts';

const all = await startTemplates({ listed: true });
afterAll(all.close);
const folder = suiteFolder();
const { relay } = all;

const outputs = [{ type: 'http_post', url: 'https://crm.example.com/' }];

test('OpenAPI describes all listed forms, and is valid', async () => {
  const { json } = await relay.get('/api/v1/openapi.json');
  expect(await new Validator().validate(json as Record<string, unknown>)).toEqual({ valid: true });
  const { paths } = json as { readonly paths: object };
  for (const name of all.names) expect(paths).toHaveProperty([`/api/v1/submit/${name}`]);
  expect(paths).toHaveProperty(['/api/v1/confirm/newsletter', '$ref']);
});

const root = new URL('../../../', import.meta.url).pathname;
const node = (program: string, ...given: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'node_modules', program), ...given], {
    cwd: folder,
  }).catch(({ stdout, stderr }) => ({ stdout: `${stdout}${stderr}` }));

test('a generated client knows each form’s values, and sends them', async () => {
  writeFileSync(join(folder, 'api.ts'), await openapiTS(`${relay.origin}/api/v1/openapi.json`));
  const client = `
    import createClient from '${root}node_modules/openapi-fetch/dist/index.js';
    import type { paths } from './api.ts';
    const { GET, POST } = createClient<paths>({ baseUrl: '${relay.origin}' });
    const bodySerializer = (body: object) => new URLSearchParams({ ...body });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = await GET('/api/v1/form/callback', { params: { query: { as: 'json' } } });
    const { token } = (form.data as any)['x-form'];
    const body = { name: 'Ada', phone: '+44 20 7946 0123', when: 'soon' as const, [token.name]: token.value };
    const { data } = await POST('/api/v1/submit/callback', { body, bodySerializer, headers });
    console.log(data?.message);
    // @ts-expect-error It is no option.
    const late = await POST('/api/v1/submit/callback', { body: { ...body, when: 'late' }, bodySerializer, headers });
    console.log(late.error && 'error' in late.error && late.error.error);
  `;
  writeFileSync(join(folder, 'client.ts'), client);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const options =
    '--strict --noEmit --skipLibCheck --module nodenext --target es2024 --allowImportingTsExtensions';
  expect((await node('typescript/bin/tsc', ...options.split(' '), 'client.ts')).stdout).toBe('');
  expect((await node('tsx/dist/cli.mjs', 'client.ts')).stdout).toBe('ok\nwhen: Choose from the options.\n');
});

test('a form is listed only if its config says so', async () => {
  const forms = {
    open: { fields: [], outputs, listed: true, title: 'Say hello' },
    secret: { fields: [], outputs },
  };
  const own = await startRelay({ config: JSON.stringify({ forms }) });
  const other = await startRelay({ config: JSON.stringify({ forms: { secret: forms.secret } }) });
  for (const path of ['/llms.txt', '/api/v1/openapi.json']) {
    const { status, text } = await own.get(path);
    expect([status, text.includes('/open'), text.includes('secret')]).toEqual([200, true, false]);
    expect((await other.get(path)).status).toBe(404);
  }
  expect((await own.get('/llms.txt')).text).toContain('[Say hello](/api/v1/form/open?as=json)');
  const guests = { name: 'guests', type: 'repeat', most: 2, fields: [{ name: 'name' }] };
  const odd = {
    fields: [guests, { name: 'cv', type: 'file' }],
    outputs,
    listed: true,
    keys_env: ['CRM_KEY'],
  };
  const asking = { ...odd, fields: [{ name: 'name' }], ask: { name: 'Acme Ltd' } };
  const agents = [{ directory: 'https://agent.example' }];
  const signed = { ...forms.open, fields: asking.fields, agents, spam: { doubt: 'tag' } };
  const all = { 'a b': odd, a_b: odd, ü: odd, asking, signed };
  const config = JSON.stringify({ counted_in: folder, forms: all });
  const env = {
    CRM_KEY: 'k'.repeat(40),
    FORM_TOKEN_SECRET: 'q7Zk2mVr9sLd4kTz8wBnX5cF',
    PUBLIC_URL: 'https://forms.example.com',
  };
  const keyed = await startRelay({ config, env });
  const texts = await Promise.all([own, keyed].map((one) => one.get('/llms.txt')));
  expect(texts.map(({ text }) => text.includes('`signature-agent`'))).toEqual([false, true]);
  const { json } = await keyed.get('/api/v1/openapi.json');
  expect(await new Validator().validate(json as Record<string, unknown>)).toEqual({ valid: true });
  expect(Object.keys((json as { readonly paths: object }).paths)).toContain('/api/v1/submit/a%20b');
  expect(json).toHaveProperty(['paths', '/api/v1/ask/asking/{id}', '$ref'], '#/components/pathItems/ask.id');
  await Promise.all([own.close(), other.close(), keyed.close()]);
});
