// Tests that a built relay delivers, on the current Node: node scripts/smoke.mjs dist/relay.cjs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const bundle = process.argv[2] ?? 'dist/relay.cjs';
const received = [];
const sink = createServer(async (request, response) => {
  received.push(`${request.method} ${request.url} ${await text(request)}`);
  response.end();
});
await once(sink.listen(0, '127.0.0.1'), 'listening');
const config = `
forms:
  contact:
    fields:
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [a, b, c]}
    outputs:
      - {type: http_post, url: "http://127.0.0.1:${sink.address().port}/hook", mapping: "*"}
`;
// Files other than scripts are executables.
const [program, ...words] = /\.c?js$/.test(bundle) ? [process.execPath, bundle] : [resolve(bundle)];
const relay = spawn(program, [...words, 'serve'], {
  env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', CONFIG_INLINE: config },
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => relay.kill('SIGKILL'));
const exited = once(relay, 'exit');
setTimeout(() => {
  console.error('The smoke test took longer than 30 seconds.');
  process.exit(1);
}, 30_000).unref();

const [line] = await Promise.race([once(createInterface({ input: relay.stdout }), 'line'), exited]);
const [origin] = /http:\/\/[\w.[\]:]+:\d+/.exec(line) ?? [];
assert.ok(origin, `The relay printed no address: ${line}`);
assert.equal((await fetch(`${origin}/healthz`)).status, 200);
const submit = async (form) => {
  const body = new URLSearchParams('email=ada%40example.org&topics=a&topics=c');
  const answer = await fetch(`${origin}/api/v1/submit/${form}`, { method: 'POST', body });
  return [answer.status, await answer.text()];
};
assert.deepEqual(await submit('contact'), [200, '{"message":"ok"}']);
assert.deepEqual(received, ['POST /hook email=ada%40example.org&topics=a&topics=c']);
assert.equal((await submit('nothing'))[0], 404);
relay.kill('SIGTERM');
// Windows has no signals, and ends the process at once.
if (process.platform !== 'win32') assert.deepEqual(await exited, [0, null]);
console.log(`Node ${process.version}: ${bundle} delivers, and stops when asked`);
process.exit(0);
