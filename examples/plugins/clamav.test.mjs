/** With a stand-in that knows one virus; or with a real clamd, whose address is in CLAMD. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { createRelay } from 'form-relay';
import plugin from './clamav.mjs';

/** The file by which scanners are tried (eicar.org), in two parts, so that this one is not taken for it. */
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

const standIn = createServer((socket) => {
  let received = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    if (!received.subarray(-4).equals(Buffer.alloc(4))) return;
    socket.end(received.includes('EICAR') ? 'stream: Eicar-Test-Signature FOUND\0' : 'stream: OK\0');
  });
});
let clamd = process.env.CLAMD;
before(async () => {
  if (clamd) return;
  await new Promise((resolve) => standIn.listen(0, '127.0.0.1', resolve));
  clamd = `127.0.0.1:${standIn.address().port}`;
});
after(() => standIn.close());

async function submit(address, text) {
  const delivered = [];
  const logged = [];
  const keep = {
    type: 'kept',
    summary: '',
    keys: {},
    open: () => ({ target: 'memory', send: async ({ files }) => void delivered.push(files) }),
  };
  const relay = createRelay({
    config: JSON.stringify({
      forms: {
        jobs: {
          clamav: address,
          fields: [{ name: 'cv', type: 'file' }],
          outputs: [{ type: 'kept', mapping: '*' }],
        },
      },
    }),
    plugins: [plugin, { name: 'kept', outputs: [keep] }],
    env: {},
    services: { log: (_, event) => void logged.push(event) },
  });
  const form = new FormData();
  form.set('cv', new Blob([text], { type: 'text/plain' }), 'cv.txt');
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const answer = await relay.handle({
    method: 'POST',
    path: '/api/v1/submit/jobs',
    query: '',
    headers: { 'content-type': request.headers.get('content-type') },
    body: Buffer.from(await request.arrayBuffer()),
  });
  await relay.close();
  return { status: answer.status, body: String(answer.body), delivered: delivered.length, logged };
}

test('a clean file is delivered', async () => {
  assert.equal((await submit(clamd, 'Ada Lovelace'.repeat(20_000))).delivered, 1);
});

test('an infected one is refused at its field', async () => {
  const { status, body, delivered, logged } = await submit(clamd, eicar);
  assert.deepEqual([status, delivered], [422, 0]);
  assert.match(body, /cv\.txt/);
  assert.ok(logged.includes('virus_found'));
});

test('without a verdict nothing is delivered', async () => {
  const { status, delivered, logged } = await submit('127.0.0.1:1', 'Ada');
  assert.deepEqual([status, delivered], [500, 0]);
  assert.ok(logged.includes('scan_failed'));
});
