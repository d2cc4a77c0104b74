import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));
const config = `
forms:
  contact:
    fields: [{name: name, required: true}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;

test('a relay whose log nobody reads any more goes on answering', async () => {
  const env = { CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0' };
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill());
  const [started] = await once(child.stdout.setEncoding('utf8'), 'data');
  const [origin = ''] = /http:\/\/\S+/.exec(started) ?? [];
  child.stderr.destroy();
  await once(child.stderr, 'close');
  for (const _ of [1, 2, 3]) {
    const body = new URLSearchParams({ name: '' });
    const { status } = await fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body });
    expect(status).toBe(422);
  }
});
