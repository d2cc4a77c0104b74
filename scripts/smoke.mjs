// Proves that a built relay relays, on the Node that runs this: node scripts/smoke.mjs dist/relay.cjs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const bundle = process.argv[2] ?? 'dist/relay.cjs';
const received = [];
const sink = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text) => {
    body += text;
  });
  request.on('end', () => {
    received.push(`${request.method} ${request.url} ${body}`);
    response.end();
  });
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
// Anything but a script is an executable.
const command = /\.c?js$/.test(bundle) ? [process.execPath, bundle] : [resolve(bundle)];
const relay = spawn(command[0], [...command.slice(1), 'serve'], {
  env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', CONFIG_INLINE: config },
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => relay.kill('SIGKILL'));
const exited = once(relay, 'exit');
setTimeout(() => {
  console.error('The smoke test took longer than 30 seconds.');
  process.exit(1);
}, 30_000).unref();

const origin = await listening();
console.log(`Node ${process.version}, ${bundle} on ${origin}`);

await check('/healthz answers 200', async () => {
  assert.equal((await fetch(`${origin}/healthz`)).status, 200);
});

await check('a submission is delivered with both of its checkboxes', async () => {
  const answer = await post('contact', 'email=ada%40example.org&topics=a&topics=c');
  assert.deepEqual(answer, { status: 200, body: { message: 'ok' } });
  assert.deepEqual(received, ['POST /hook email=ada%40example.org&topics=a&topics=c']);
});

await check('an unknown form is a 404 in JSON', async () => {
  const answer = await post('nothing', 'email=ada%40example.org');
  assert.equal(answer.status, 404);
  assert.equal(typeof answer.body.error, 'string');
});

await check('SIGTERM ends it with exit code 0', async () => {
  relay.kill('SIGTERM');
  // Windows has no signals, and ends it at once.
  if (process.platform !== 'win32') assert.deepEqual(await exited, [0, null]);
});
process.exit(0);

/** The relay's address, from the first line that it prints. */
async function listening() {
  const ended = exited.then(([code]) =>
    assert.fail(`The relay ended before it listened, with exit code ${code}.`),
  );
  const [line] = await Promise.race([once(createInterface({ input: relay.stdout }), 'line'), ended]);
  const address = line.match(/http:\/\/[\w.[\]:]+:\d+/);
  assert.ok(address, `The relay's first line names no address: ${line}`);
  return address[0];
}

async function post(form, body) {
  const response = await fetch(`${origin}/api/v1/submit/${form}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  return { status: response.status, body: await response.json() };
}

async function check(promise, test) {
  await test();
  console.log(`  ok  ${promise}`);
}
