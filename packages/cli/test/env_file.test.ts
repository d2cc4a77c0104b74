/** A `.env` next to the config sets variables for every command, and for `npm start`. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpSink } from '../../../test/spec/stage.ts';
import { openTerminal } from './terminal.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const config = (url = 'http://127.0.0.1:9/') => `
forms:
  contact:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${url}", static: {a: '{{ env "A" }}', b: '{{ env "B" }}'}}]
`;

/** Starts a server, and stops it when the test is over; the lines that it prints first. */
async function started(command: readonly string[], env: Record<string, string>, count: number) {
  const [program = '', ...options] = command;
  const { PATH = '' } = process.env;
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(program, options, { cwd: root, env: { PATH, PORT: '0', ...env }, stdio: [...stdio] });
  const closed = once(child, 'close');
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!/^(>|$)/.test(line) && lines.push(line) === count) break;
  }
  child.stdout.resume();
  return { child, closed, lines, origin: new URL(/http:\/\/\S+/.exec(lines[0] ?? '')?.[0] ?? '').origin };
}

const serve = [process.execPath, `${root}dist/relay.cjs`, 'serve'];
const start = ['npm', 'start', '--silent'];

describe.each([
  ['relay serve', serve],
  ['npm start', start],
])('%s', (_, command) => {
  test('reads it; what the environment has wins', async () => {
    const sink = await httpSink();
    const { cwd } = await openTerminal({
      files: {
        'webform.yaml': config(`${sink.origin}/`),
        '.env': 'A="from the file"\nB=2 # not 3\nHOST=127.0.0.1\n',
      },
    });
    const { origin } = await started(command, { CONFIG_FILE: `${cwd}/webform.yaml`, A: '' }, 1);
    const body = new URLSearchParams({ name: 'Ada' });
    expect((await fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body })).status).toBe(200);
    expect(sink.requests.map((request) => `${request.body}`)).toEqual(['b=2']);
  });
});

test('npm start listens only on this machine, says last what to open, and stops with npm', async () => {
  const { child, closed, lines, origin } = await started(start, { CONFIG_INLINE: config() }, 2);
  expect(lines).toEqual([
    `Form Relay listens on ${origin} with CONFIG_INLINE (1 form)`,
    `Open ${origin}/api/v1/form/contact?as=page`,
  ]);
  expect(new URL(origin).hostname).toBe('127.0.0.1');
  child.kill();
  await closed;
});

describe('a command', () => {
  const files = { 'site/webform.yaml': config(), 'site/.env': 'THROTTLE_RATE_LIMIT=fast\n' };

  test.each(['--config site/webform.yaml', ''])('reads the file next to its config (%s)', async (option) => {
    const { run } = await openTerminal({ files });
    const env = option ? '' : 'RELAY_CONFIG=site/webform.yaml ';
    expect((await run(`${env}relay ${option} explain contact name=Ada`)).stderr).toMatch(
      /^THROTTLE_RATE_LIMIT: /,
    );
  });

  test.each([
    ['in Windows-1252', `printf 'A=\\374' >site/.env`, 'the file is not UTF-8'],
    ['that cannot be read', 'rm site/.env && ln -s .env site/.env', 'the file cannot be read'],
  ])('goes on without one %s, and says so', async (_, prepare, reason) => {
    const { run } = await openTerminal({ files });
    await run(prepare);
    expect(await run('relay --config site/webform.yaml config validate')).toEqual({
      stdout: 'ok\n',
      stderr: `site/.env: ${reason}; none of its variables are set\n`,
      code: 0,
    });
  });
});
