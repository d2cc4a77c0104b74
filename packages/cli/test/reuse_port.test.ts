/** REUSE_PORT: copies of `relay serve` share a port, where Node can. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { nodeOf } from '../../../test/support/newer_node.ts';
import { checkReusePort } from '../src/listening.ts';

const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));
const env = { HOST: '127.0.0.1', CONFIG_INLINE: 'forms: {}', THROTTLE_BURST_LIMIT: '1000', REUSE_PORT: '1' };

/** A copy of the relay that listens, and how often it refused a request by its log. */
async function copyOn(node: string, port: string) {
  const child = spawn(node, [program, 'serve'], { env: { ...env, PORT: port } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const copy = { refused: 0, port: '' };
  createInterface(child.stderr).on('line', (line) => {
    if (line.includes('"event":"refused"')) copy.refused += 1;
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  copy.port = /:(\d+) /.exec(line)?.[1] ?? line;
  return copy;
}

const ask = async (port: string) => {
  const [answer] = await once(get({ host: '127.0.0.1', port, path: '/nowhere', agent: false }), 'response');
  answer.resume();
  return answer.statusCode;
};

test('two copies on Node 24 share a port, and the kernel spreads the connections over both', {
  timeout: 120_000,
}, async () => {
  const node = await nodeOf(24);
  const first = await copyOn(node, '0');
  const second = await copyOn(node, first.port);
  expect(second.port).toBe(first.port);
  const statuses = await Promise.all(Array.from({ length: 100 }, () => ask(first.port)));
  expect(new Set(statuses)).toEqual(new Set([404]));
  await expect.poll(() => first.refused + second.refused).toBe(100);
  expect(Math.min(first.refused, second.refused)).toBeGreaterThan(0);
});

test.runIf(process.version.startsWith('v20.'))('on Node 20 the relay does not start, and says why', () => {
  const { status, stderr } = spawnSync(process.execPath, [program, 'serve'], {
    env: { ...env, PORT: '0' },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain('REUSE_PORT needs Node 22.12, or 23.1 and later, and this is Node 20.');
});

test.each([
  ['20.20.2', false],
  ['22.11.9', false],
  ['22.12.0', true],
  ['23.0.0', false],
  ['23.1.0', true],
  ['24.0.0', true],
])('Node %s shares a port: %s', (version, can) => {
  const check = () => checkReusePort(version);
  if (can) expect(check).not.toThrow();
  else expect(check).toThrow(`this is Node ${version}`);
});
