/** V8's code cache beside the function's code: used where it fits, and never where it does not. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { apiGatewayEvent } from '../support/lambda_events.ts';
import { startLambda } from '../support/lambda_runtime.ts';
import { nodeOf } from '../support/newer_node.ts';

const run = promisify(execFile);
const folder = () => mkdtempSync(join(tmpdir(), 'relay-code-cache-'));

let node22 = '';
let node24 = '';
/** The function's folder with caches for both. */
let built = '';

beforeAll(async () => {
  [node22, node24] = [await nodeOf(22), await nodeOf(24)];
  built = folder();
  cpSync('dist/lambda', built, { recursive: true });
  for (const node of [node22, node24]) {
    const { stdout } = await run(node, [resolve('dist/lambda_code_cache.cjs'), built]);
    expect(stdout).toMatch(/2 code caches, checked\n$/);
  }
}, 300_000);

afterAll(() => rmSync(built, { recursive: true, force: true }));

/** A copy of it that a test may spoil, and the paths of the caches of Node 24. */
function copy() {
  const directory = folder();
  onTestFinished(() => rmSync(directory, { recursive: true }));
  cpSync(built, directory, { recursive: true });
  const own = readdirSync(directory).filter((name) => name.startsWith('code_cache_v24.'));
  const path = (end: string) => join(directory, own.find((name) => name.endsWith(end)) ?? '');
  return { directory, index: path('.json'), bins: [path('_0.bin'), path('_1.bin')] };
}

/** Modules that Node loaded itself have an id. */
const script = (directory: string) => `
const { handler } = require(${JSON.stringify(join(directory, 'lambda.cjs'))});
const event = { rawPath: '/api/v1/form/contact', headers: {}, requestContext: { stage: '$default', http: { method: 'GET' } } };
handler(event, { awsRequestId: 'r', getRemainingTimeInMillis: () => 20000 }).then(({ statusCode, body }) => {
  const loaded = require.cache[${JSON.stringify(join(directory, 'shared.cjs'))}];
  process.stdout.write(JSON.stringify({ statusCode, body, from: loaded.id === undefined ? 'cache' : 'source' }));
});
`;

const config =
  'forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';

/** A cold start's first answer, and where its code came from. */
async function coldStart(directory: string, node = node24, flags: readonly string[] = []) {
  const { stdout } = await run(node, [...flags, '-e', script(directory)], { env: { CONFIG_INLINE: config } });
  const { statusCode, from, body } = JSON.parse(stdout);
  expect({ statusCode, body }).toEqual({ statusCode: 200, body: expect.stringContaining('<form') });
  return { from, body };
}

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  writeFileSync(path, bytes);
}

test('a cache is used by the Node that wrote it, with its flags and with those of a function with 128 MB', async () => {
  for (const node of [node22, node24]) {
    expect((await coldStart(built, node)).from).toBe('cache');
    for (const way of ['require', 'import'] as const) {
      const file = join(built, 'lambda.cjs');
      const lambda = await startLambda({ env: { CONFIG_INLINE: config }, node, file, way });
      onTestFinished(() => lambda.close());
      const page = apiGatewayEvent({ method: 'GET', target: '/api/v1/form/contact' });
      expect((await lambda.invoke(page)).result.statusCode).toBe(200);
    }
    const flags = ['--expose-gc', '--max-semi-space-size=6', '--max-old-space-size=116'];
    expect((await coldStart(built, node, flags)).from).toBe('cache');
  }
});

test('other flags, and a Node without a cache, load the code as it is', async () => {
  expect((await coldStart(built, node24, ['--no-opt'])).from).toBe('source');
  expect((await coldStart(built, node22, ['--max-old-space-size=200'])).from).toBe('source');
  expect((await coldStart(built, await nodeOf(20))).from).toBe('source');
});

test('a cache that another Node wrote is not used, whatever it is called', async () => {
  const { directory, index } = copy();
  rmSync(index);
  const other = readdirSync(directory).find((name) => /^code_cache_v22\..*json$/.test(name)) ?? '';
  renameSync(join(directory, other), index);
  expect((await coldStart(directory)).from).toBe('source');
});

test('a cache with a wrong byte anywhere is not used', async () => {
  const { directory, bins } = copy();
  const size = Math.min(...bins.map((bin) => readFileSync(bin).length));
  for (const at of [8, 40, 5_000, Math.floor(size / 2), size - 1]) {
    for (const bin of bins) flipByte(bin, at);
    expect((await coldStart(directory)).from).toBe('source');
    for (const bin of bins) flipByte(bin, at);
  }
  expect((await coldStart(directory)).from).toBe('cache');
});

test('neither is one whose index is wrong, cut off or gone', async () => {
  const { directory, index } = copy();
  const whole = readFileSync(index);
  for (const at of [2, 40, 200, whole.length - 3]) {
    flipByte(index, at);
    expect((await coldStart(directory)).from).toBe('source');
    writeFileSync(index, whole.subarray(0, at));
    expect((await coldStart(directory)).from).toBe('source');
    writeFileSync(index, whole);
  }
  rmSync(index);
  expect((await coldStart(directory)).from).toBe('source');
});

test('neither is one that was cut off or is gone', async () => {
  const { directory, bins } = copy();
  for (const bin of bins) writeFileSync(bin, readFileSync(bin).subarray(0, 1_000));
  expect((await coldStart(directory)).from).toBe('source');
  for (const bin of bins) rmSync(bin);
  expect((await coldStart(directory)).from).toBe('source');
});

test('changed code of the same length runs as it is now', async () => {
  const { directory } = copy();
  const path = join(directory, 'shared.cjs');
  writeFileSync(
    path,
    readFileSync(path, 'latin1').replaceAll('could not be sent', 'could not be zent'),
    'latin1',
  );
  const { from, body } = await coldStart(directory);
  expect(from).toBe('source');
  expect(body).toContain('could not be zent');
});
