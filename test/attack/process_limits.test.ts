/** The built relay with the container's settings, against more connections than it can accept. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { httpSink, multipartType, upload } from '../support/index.ts';
import { postHead } from './stage.ts';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

/** Throttled requests are not even read. */
const unthrottled = { THROTTLE_RATE_LIMIT: '100000', THROTTLE_BURST_LIMIT: '100000' };

/** Starts the relay with the container's settings and this limit of open files. */
async function serve(files: number, fields = '[{name: name}]', output = 'type: http_post') {
  const sink = await httpSink();
  const config = `forms: {contact: {fields: ${fields}, outputs: [{${output}, url: "${sink.origin}", mapping: "*"}]}}`;
  const command = `ulimit -n ${files} && exec "$0" --max-semi-space-size=8 "$1" serve`;
  const child = spawn('sh', ['-c', command, process.execPath, program], {
    env: { CONFIG_INLINE: config, HOST: '127.0.0.1', PORT: '0', ...unthrottled },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (text) => {
    log += text;
  });
  const [started] = await once(child.stdout, 'data');
  const [origin = ''] = /http:\/\/[\w.:]+/.exec(started) ?? [];
  const submit = (name: string) =>
    fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body: new URLSearchParams({ name }) });
  return {
    port: Number(new URL(origin).port),
    submit,
    log: () => log,
    rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
  };
}

/** Submits it to the form, and returns the status of the answer. */
const send = (port: number, body: Buffer) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = { 'content-type': multipartType, 'content-length': body.length };
    const to = { port, host: '127.0.0.1', method: 'POST', path: '/api/v1/submit/contact', headers };
    request(to, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
      .on('error', reject)
      .end(body);
  });

/** Opens this many connections that send these bytes and no more. */
async function hold(port: number, connections: number, bytes = ''): Promise<void> {
  for (let left = connections; left > 0; left -= 100) {
    const opened = Array.from({ length: Math.min(left, 100) }, async () => {
      const socket = net
        .connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .resume();
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(bytes, resolve));
    });
    await Promise.allSettled(opened);
  }
}

test('2,500 connections that hold back the last byte of a large body do not fill the memory', async () => {
  const relay = await serve(4_000);
  await hold(relay.port, 2_500, `${postHead('Content-Length: 65536')}${'x'.repeat(65_535)}`);
  // The bodies total 160 MB.
  expect(relay.rssMb()).toBeLessThan(170);
  expect((await relay.submit('Ann')).status).toBe(200);
  await expect
    .poll(relay.log)
    .toMatch(/"event":"limit_reached","name":"BODY_BYTES_LIMIT","limit":16777216,"times":\d/);
});

test('with a limit of 256 files, visitors are served in spite of 400 silent connections', async () => {
  const relay = await serve(256);
  await hold(relay.port, 400);
  for (const name of ['Ann', 'Bob', 'Cy']) expect((await relay.submit(name)).status).toBe(200);
  await expect
    .poll(relay.log)
    .toMatch(/"event":"limit_reached","name":"CONNECTION_LIMIT","limit":128,"times":\d/);
});

test('clients that send many requests and read no answers are cut off, and visitors are served', async () => {
  const relay = await serve(4_000);
  const asking = 'GET /api/v1/form/contact HTTP/1.1\r\nHost: a.example\r\n\r\n'.repeat(3_000);
  for (let clients = 60; clients > 0; clients -= 1) {
    const socket = net.connect(relay.port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.pause().write(asking);
  }
  await expect.poll(relay.log, { timeout: 20_000 }).toContain('too many requests at once on one connection');
  expect((await relay.submit('Ann')).status).toBe(200);
  // If all bodies were held, 60 clients would take a gigabyte. Without clients, it is about 90 MB.
  expect(relay.rssMb()).toBeLessThan(220);
});

test('simultaneous visitors do not displace each other when slow bodies hold all places', async () => {
  const relay = await serve(256);
  await hold(relay.port, 150, `${postHead('Content-Length: 5000')}x`);
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => relay.submit(`n${n}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
});

test('during a hundred simultaneous uploads of 10 MB, visitors notice nothing', async () => {
  const fields = '[{name: name}, {name: cv, type: file, accept: [text/plain], max_size: 10MB}]';
  const relay = await serve(4_000, fields, 'type: webhook, files: base64');
  const bomb = upload(10_400_000);
  let areThere = true;
  const bombs = Promise.all(Array.from({ length: 100 }, () => send(relay.port, bomb))).finally(() => {
    areThere = false;
  });
  const visitors: number[] = [];
  // Runs at least once, however fast they are.
  do {
    const answers = await Promise.all([
      relay.submit('Ann').then(({ status }) => status),
      send(relay.port, upload(20_000)),
    ]);
    visitors.push(...answers.map(Number));
  } while (areThere);
  expect(new Set(visitors)).toEqual(new Set([200]));
  // No connection is cut off: uploads without room get a 503.
  const statuses = await bombs;
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
  // Nothing of the gigabyte is held. The factor of 1.5 allows for a busy machine.
  expect(relay.rssMb()).toBeLessThan(1.5 * (64 + 120));
});
