/** Promises that hold on every runtime, checked from outside: a visitor's requests, and what arrived. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../scripts/machine.ts';
import { solve } from '../../test/support/puzzles.ts';
import type { Mount, Mounted } from './mounts.ts';
import { signingSecret, type World } from './world.ts';

export type Given = World & Mounted;

export type Where = Mount['name'] | 'executable' | 'systemd' | 'container' | 'Worker';

type Holds = (given: Given) => Promise<void>;

/** By area and text: where the promise can hold, and how it is tested. */
export type Promises = Readonly<
  Record<string, { readonly where: readonly Where[] | undefined; readonly holds: Holds }>
>;

export const on = (where: readonly Where[] | undefined, holds: Holds) => ({ where, holds });
export const everywhere = undefined;

const processes: readonly Where[] = ['relay serve', 'createNodeServer', 'executable', 'systemd'];
/** Where the process continues after an answer. */
const living: readonly Where[] = [...processes, 'fetch', 'container'];

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

export async function submit(
  { origin }: Mounted,
  form: string,
  body: string | Uint8Array<ArrayBuffer> | FormData = 'name=Ann',
  headers: Readonly<Record<string, string>> = {},
) {
  const init = { ...(typeof body === 'string' ? urlencoded : {}), ...headers };
  const url = `${origin}/api/v1/submit/${form}`;
  return read(await fetch(url, { method: 'POST', headers: init, body, redirect: 'manual' }));
}

export const get = async ({ origin }: Mounted, path: string, headers = {}) =>
  read(await fetch(origin + path, { headers }));

const read = async (answer: Response) => {
  const { status, headers } = answer;
  return { status, headers, text: await answer.text() };
};

const bodies = (requests: readonly { readonly body: string }[]) => requests.map(({ body }) => body);

/** The answer to a submission whose body breaks off; empty if the connection was closed. */
async function cutOff(given: Mounted, length: string, body: string, end: (socket: net.Socket) => void) {
  const { hostname, port } = new URL(given.origin);
  const socket = net.connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const head = `POST /api/v1/submit/cut HTTP/1.1\r\nhost: relay.test\r\ncontent-type: ${urlencoded['content-type']}`;
  socket.write(`${head}\r\n${length}\r\n\r\n${body}`);
  // By then, the relay has read it.
  await get(given, '/healthz');
  end(socket);
  await closed;
  return answer;
}

export const promises: Promises = {
  'submit: a body that breaks off is refused and never delivered': on(living, async (given) => {
    const bodies: readonly (readonly [length: string, body: string])[] = [
      ['content-length: 20', 'name=Ann'],
      ['content-length: 100000', 'name=Ann'],
      ['transfer-encoding: chunked', '8\r\nname=Ann\r\n'],
      ['transfer-encoding: chunked', '20\r\nname=Ann'],
    ];
    const ends = [
      (socket: net.Socket) => socket.end(),
      (socket: net.Socket) => socket.destroy(),
      (socket: net.Socket) => socket.resetAndDestroy(),
    ];
    const answers = await Promise.all(
      bodies.flatMap((body) => ends.map((end) => cutOff(given, ...body, end))),
    );
    for (const answer of answers) assert.match(answer, /^(HTTP\/1\.1 400 |$)/);
    assert.equal((await submit(given, 'cut', 'name=last')).status, 200);
    assert.deepEqual(
      given.to('/cut').map(({ body }) => body),
      ['name=last'],
    );
  }),
  'checks: a proof of work counts, once': on(everywhere, async (given) => {
    const { text } = await get(given, '/api/v1/challenge/proven');
    const body = new URLSearchParams({ name: 'Ann', altcha: solve(JSON.parse(text)) }).toString();
    assert.equal((await submit(given, 'proven', body)).status, 200);
    assert.equal((await submit(given, 'proven', body)).status, 422);
    assert.deepEqual(bodies(given.to('/proven')), ['name=Ann']);
  }),
  'checks: a pattern is matched, and one without end holds up nobody else': on(everywhere, async (given) => {
    assert.equal((await submit(given, 'pattern', 'name=aab')).status, 200);
    assert.equal((await submit(given, 'pattern', 'name=xyz')).status, 422);
    // On the event loop, it would run for longer than the test.
    const endless = submit(given, 'pattern', `name=${'a'.repeat(60)}`);
    assert.equal((await get(given, '/healthz')).status, 200);
    assert.notEqual((await endless).status, 200);
    assert.deepEqual(bodies(given.to('/pattern')), ['name=aab']);
  }),
  'outputs: a webhook that Standard Webhooks verifies': on(everywhere, async (given) => {
    assert.equal((await submit(given, 'signed')).status, 200);
    const [sent] = given.to('/signed');
    const verified = new Webhook(signingSecret).verify(
      sent?.body ?? '',
      sent?.headers as Record<string, string>,
    );
    assert.equal(typeof verified, 'object');
  }),
  'outputs: https, with a certificate of a CA of one’s own': on(everywhere, async (given) => {
    assert.equal((await submit(given, 'secure')).status, 200);
    assert.deepEqual(bodies(given.secure.requests), ['name=Ann']);
  }),
  'outputs: 302 means done, 307 is followed': on(everywhere, async (given) => {
    assert.equal((await submit(given, 'done')).status, 200);
    assert.deepEqual(given.to('/never'), []);
    assert.equal((await submit(given, 'moved')).status, 200);
    assert.deepEqual(bodies(given.to('/there')), ['name=Ann']);
  }),
  'outputs: a passing failure is tried again, under the same key': on(everywhere, async (given) => {
    assert.equal((await submit(given, 'flaky')).status, 200, given.log());
    const keys = given.to('/flaky').map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    assert.equal((await submit(given, 'closing')).status, 200, given.log());
  }),
  'outputs: an answer that came before it was asked for does not count': on(everywhere, async (given) => {
    // The server answers this one twice.
    assert.equal((await submit(given, 'eager')).status, 200);
    assert.equal((await submit(given, 'eager')).status, 500);
  }),
  'outputs: a connection that was closed between two submissions costs nobody anything': on(
    everywhere,
    async (given) => {
      for (let time = 0; time < 4; time += 1) {
        assert.equal((await submit(given, 'resting')).status, 200);
        given.hook.closeIdle();
      }
      assert.equal(given.to('/resting').length, 4);
    },
  ),
  'checks: the client is known, also behind a proxy, and limited': on(everywhere, async (given) => {
    const from = { 'x-forwarded-for': '203.0.113.7' };
    const statuses: number[] = [];
    for (let time = 0; time < 3; time += 1)
      statuses.push((await submit(given, 'limited', 'name=Ann', from)).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  }),
  'files: a file arrives to the byte, by webhook and in a folder': on(everywhere, async (given) => {
    const bytes = new Uint8Array(200_000);
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
    for (let at = 16; at < bytes.length; at += 1) bytes[at] = (at * 31) % 256;
    const form = new FormData();
    form.set('name', 'Ann');
    form.set('cv', new Blob([bytes], { type: 'image/png' }), 'photo.png');
    assert.equal((await submit(given, 'files', form)).status, 200);
    const [sent] = given.to('/files');
    assert.ok(sent?.bytes.includes(Buffer.from(bytes).toString('base64')));
    const names = await readdir(join(given.folder, 'files'), { recursive: true });
    assert.ok(names.some((name) => name.endsWith('.png')));
  }),
  'config: a change is taken up, while others are answered': on(everywhere, async (given) => {
    assert.equal((await get(given, '/api/v1/form/added')).status, 404);
    await given.addForm('added');
    await eventually(async () => (await get(given, '/api/v1/form/added')).status === 200);
    assert.doesNotMatch(given.log(), /config_invalid|config_unavailable/);
  }),
  'server: requests under way at SIGTERM are answered before the process ends': on(
    processes,
    async (given) => {
      const slow = submit(given, 'slow');
      await eventually(() => given.to('/slow').length === 1);
      const ended = given.stop();
      assert.equal((await slow).status, 200);
      assert.equal(await ended, 0);
    },
  ),
};
