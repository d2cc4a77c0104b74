/** Several workers start, end and are replaced as one process would be, as far as anybody outside can see. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/listen.ts';
import { refused } from '../support/refused.ts';
import { ask, kill, program, runs, startWorkers } from '../support/workers.ts';

const formTo = (port: number) => `
forms:
  contact:
    fields: [{name: name, required: true}]
    outputs: [{type: http_post, url: "http://127.0.0.1:${port}/", mapping: "*"}]
`;
const env = { WORKERS: '3', CONFIG_INLINE: formTo(9) };

/** A place for deliveries, that answers when it is told to. */
async function slowSink() {
  const waiting: http.ServerResponse[] = [];
  const sink = http.createServer((_, answer) => waiting.push(answer));
  const port = await listen(sink);
  onTestFinished(() => {
    sink.closeAllConnections();
    sink.close();
  });
  return { port, waiting };
}

test('what one process says at its start is said once, and lines say whose they are', async () => {
  const { origin, printed, log, pids } = await startWorkers(env);
  expect(printed).toEqual([`Form Relay listens on ${origin} with CONFIG_INLINE (1 form), 3 workers`]);
  expect(pids()).toHaveLength(3);
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    expect((await ask(`${origin}/api/v1/submit/contact`, { body: 'name=' })).status).toBe(422);
  }
  expect((await ask(`${origin}/readyz`)).status).toBe(200);
  await expect.poll(() => log.filter(({ event }) => event === 'submission')).toHaveLength(6);
  expect(log.filter(({ event }) => event === 'config_loaded')).toEqual([
    expect.not.objectContaining({ worker: expect.anything() }),
  ]);
  const workers = log.filter(({ event }) => event === 'submission').map(({ worker }) => worker);
  expect(workers.sort()).toEqual([1, 1, 2, 2, 3, 3]);
});

test('lines of several workers never mix, however long they are', async () => {
  const { origin, log, child } = await startWorkers({
    ...env,
    THROTTLE_RATE_LIMIT: '9999',
    THROTTLE_BURST_LIMIT: '9999',
  });
  // Nobody reads for a moment, so that they all wait.
  child.stderr.pause();
  await Promise.all(
    Array.from({ length: 600 }, () => ask(`${origin}/api/v1/submit/contact`, { body: 'name=' })),
  );
  child.stderr.resume();
  // Each is parsed as it is read.
  await expect.poll(() => log.filter(({ event }) => event === 'submission').length).toBe(600);
});

test.each([
  [
    'a port in use',
    async () => {
      const taken = net.createServer();
      const port = await listen(taken);
      onTestFinished(() => void taken.close());
      return { PORT: String(port) };
    },
  ],
  ['a malformed variable', async () => ({ PORT: 'http' })],
  ['an address that is not here', async () => ({ HOST: '192.0.2.1', PORT: '0' })],
  ['a number of workers that is none', async () => ({ WORKERS: '1.5' })],
])('%s ends it as it ends one process: with the same words, once', async (_what, given) => {
  const with_ = { HOST: '127.0.0.1', PORT: '0', CONFIG_INLINE: 'forms: {}', ...(await given()) };
  const start = (workers: string) =>
    spawnSync(process.execPath, [program, 'serve'], {
      env: { WORKERS: workers, ...with_ },
      encoding: 'utf8',
    });
  const several = start('3');
  const lines = several.stderr.split('\n').filter((line) => !line.startsWith('{'));
  expect([several.status, several.stdout, lines]).toEqual([1, '', [expect.stringMatching(/\S/), '']]);
  if ('WORKERS' in with_) return;
  const one = start('1');
  expect(lines).toEqual(one.stderr.split('\n').filter((line) => !line.startsWith('{')));
  expect(several.stderr.split('\n').length).toBe(one.stderr.split('\n').length);
});

test('a config that is not there is told of once, and every worker says 500', async () => {
  const { origin, printed, events } = await startWorkers({
    WORKERS: '3',
    CONFIG_FILE: '/nowhere/webform.yaml',
  });
  expect(printed.join()).toContain('it did not load');
  // All have tried by now. Requests have it tried again.
  await expect.poll(() => events('config_unavailable')).toHaveLength(1);
  for (const _ of [1, 2, 3]) expect((await ask(`${origin}/api/v1/form/contact`)).status).toBe(500);
});

test('a worker that dies is replaced, and the log says so', async () => {
  const { origin, pids, events } = await startWorkers(env);
  const before = pids();
  kill(before[1] ?? 0, 'SIGKILL');
  await expect
    .poll(() => events('worker_ended'))
    .toEqual([expect.objectContaining({ level: 'error', worker: 2, signal: 'SIGKILL', next_ms: 100 })]);
  await expect.poll(() => pids().filter((pid) => !before.includes(pid))).toHaveLength(1);
  expect((await ask(`${origin}/healthz`)).status).toBe(200);
  // The next time it waits longer.
  const [next = 0] = pids().filter((pid) => !before.includes(pid));
  kill(next, 'SIGKILL');
  await expect.poll(() => events('worker_ended').at(-1)).toMatchObject({ worker: 2, next_ms: 200 });
});

test('a worker is started again and again while an upgrade replaces the program', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  const { origin, pids, events } = await startWorkers(env, node);
  renameSync(node, `${node}.old`);
  kill(pids()[1] ?? 0, 'SIGKILL');
  const ended = () => events('worker_ended').map(({ reason }) => reason);
  await expect.poll(ended).toContain('a worker cannot be started (ENOENT)');
  // It is there, and not yet whole.
  copyFileSync(`${node}.old`, node);
  const copying = openSync(node, 'r+');
  await expect.poll(ended).toContain('a worker cannot be started (ETXTBSY)');
  expect((await ask(`${origin}/healthz`)).status).toBe(200);
  closeSync(copying);
  await expect.poll(() => pids().length, { timeout: 10_000 }).toBe(3);
});

test('SIGTERM lets what is under way in each of them end; another one changes nothing', async () => {
  const sink = await slowSink();
  const { child, origin, ended } = await startWorkers({ ...env, CONFIG_INLINE: formTo(sink.port) });
  const answers = [1, 2, 3].map(() => ask(`${origin}/api/v1/submit/contact`, { body: 'name=Ann' }));
  await expect.poll(() => sink.waiting.length).toBe(3);
  child.kill('SIGTERM');
  await refused(origin);
  child.kill('SIGTERM');
  for (const answer of sink.waiting) answer.end();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await ended).toEqual([0, null]);
});

test('SIGTERM under load cuts no connection: each is answered or refused', async () => {
  const sink = http.createServer((_, answer) => answer.end());
  const port = await listen(sink);
  onTestFinished(() => {
    sink.closeAllConnections();
    sink.close();
  });
  const { child, origin, ended } = await startWorkers({
    ...env,
    CONFIG_INLINE: formTo(port),
    THROTTLE_RATE_LIMIT: '100000',
    THROTTLE_BURST_LIMIT: '100000',
  });
  let answered = 0;
  const visitor = async () => {
    for (;;) {
      try {
        await ask(`${origin}/api/v1/submit/contact`, { body: 'name=Ann' });
        answered += 1;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    }
  };
  const visitors = Array.from({ length: 64 }, visitor);
  await expect.poll(() => answered).toBeGreaterThan(64);
  child.kill('SIGTERM');
  const ends = await Promise.all(visitors);
  // As with one process, the system may cut one that came in the very moment.
  expect(ends.filter((code) => code !== 'ECONNREFUSED').length).toBeLessThan(3);
  expect(await ended).toEqual([0, null]);
});

test('Ctrl-C twice ends all of them at once', async () => {
  const sink = await slowSink();
  const { child, origin, ended, pids } = await startWorkers({ ...env, CONFIG_INLINE: formTo(sink.port) });
  const answer = ask(`${origin}/api/v1/submit/contact`, { body: 'name=Ann' }).catch(() => 'cut');
  await expect.poll(() => sink.waiting.length).toBe(1);
  const all = [...pids()];
  // A terminal sends it to each.
  const interrupt = () => {
    for (const pid of [...all, child.pid ?? 0]) kill(pid, 'SIGINT');
  };
  interrupt();
  await refused(origin);
  interrupt();
  expect(await ended).toEqual([null, 'SIGINT']);
  expect(await answer).toBe('cut');
  await expect.poll(() => all.filter(runs)).toEqual([]);
});

test('workers end when their primary was killed, after what is under way; the port is free at once', async () => {
  const sink = await slowSink();
  const { child, origin, pids } = await startWorkers({ ...env, CONFIG_INLINE: formTo(sink.port) });
  const all = [...pids()];
  const answer = ask(`${origin}/api/v1/submit/contact`, { body: 'name=Ann' });
  await expect.poll(() => sink.waiting.length).toBe(1);
  child.kill('SIGKILL');
  await refused(origin);
  // Those that have nothing to do end.
  await expect.poll(() => all.filter(runs).length).toBe(1);
  sink.waiting[0]?.end();
  expect((await answer).status).toBe(200);
  await expect.poll(() => all.filter(runs)).toEqual([]);
});

test('SIGHUP replaces them one by one, and no request is lost', async () => {
  const sink = http.createServer((_, answer) => answer.end());
  const port = await listen(sink);
  onTestFinished(() => {
    sink.closeAllConnections();
    sink.close();
  });
  const { child, origin, pids, events } = await startWorkers({
    ...env,
    CONFIG_INLINE: formTo(port),
    THROTTLE_RATE_LIMIT: '100000',
    THROTTLE_BURST_LIMIT: '100000',
  });
  const before = pids();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  onTestFinished(() => agent.destroy());
  let isOver = false;
  let answered = 0;
  const lost: unknown[] = [];
  const visitor = async () => {
    while (!isOver) {
      try {
        const asking = http.request(`${origin}/api/v1/submit/contact`, {
          method: 'POST',
          agent,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        });
        asking.end('name=Ann');
        const [answer] = await once(asking, 'response');
        answer.resume();
        await once(answer, 'end');
        if (answer.statusCode === 200) answered += 1;
        else lost.push(answer.statusCode);
      } catch (error) {
        lost.push(error);
      }
    }
  };
  const visitors = Array.from({ length: 16 }, visitor);
  child.kill('SIGHUP');
  await expect.poll(() => events('worker_replaced').map(({ worker }) => worker)).toEqual([1, 2, 3]);
  isOver = true;
  await Promise.all(visitors);
  expect(lost).toEqual([]);
  expect(answered).toBeGreaterThan(100);
  expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
  expect(events('worker_ended')).toEqual([]);
});

test('a config that does not load when they are to be replaced replaces nobody: forms go on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'webform.yaml');
  writeFileSync(file, formTo(9));
  const { child, origin, events, pids } = await startWorkers({ WORKERS: '2', CONFIG_FILE: file });
  const statuses = async () => {
    const answers = [1, 2, 3].map(() => ask(`${origin}/api/v1/form/contact`));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  const before = pids();
  writeFileSync(file, 'forms: [');
  child.kill('SIGHUP');
  await expect.poll(() => events('worker_not_replaced')).toHaveLength(1);
  expect(events('worker_ended').at(-1)).toMatchObject({ reason: expect.stringContaining('config') });
  await expect.poll(() => events('config_invalid')).toMatchObject([{ serving: 'the last good config' }]);
  expect(pids()).toEqual(before);
  expect(await statuses()).toEqual([200, 200, 200]);
  // Nor does one take the place of a worker that died, as long as another one serves.
  kill(before[1] ?? 0, 'SIGKILL');
  await expect.poll(() => events('worker_ended').length).toBeGreaterThan(2);
  expect(await statuses()).toEqual([200, 200, 200]);
  writeFileSync(file, formTo(9));
  child.kill('SIGHUP');
  await expect.poll(() => events('worker_replaced')).toHaveLength(2);
  expect(await statuses()).toEqual([200, 200, 200]);
});

test('what they measure is one sum, which does not go down when one of them ends', async () => {
  const { origin, pids, printed, child, events } = await startWorkers({
    ...env,
    SUBMISSION_LIMIT: '30',
    METRICS_PORT: '0',
  });
  const [, metrics = ''] = /^Metrics are on (\S+)$/m.exec(printed.join('\n')) ?? [];
  const read = async () => {
    const { body } = await ask(metrics);
    const number = (pattern: RegExp) => Number(pattern.exec(body)?.[1]);
    return {
      invalid: number(/^form_relay_submissions_total\{form="contact",outcome="invalid".*\} (\d+)$/m),
      limit: number(/^form_relay_submissions_under_way_limit (\d+)$/m),
    };
  };
  const send = () => ask(`${origin}/api/v1/submit/contact`, { body: 'name=' });
  for (const _ of [1, 2, 3, 4]) await send();
  expect(await read()).toEqual({ invalid: 4, limit: 30 });
  kill(pids()[0] ?? 0, 'SIGKILL');
  await expect.poll(() => events('worker_ended')).toHaveLength(1);
  await expect.poll(async () => (await read()).limit).toBe(30);
  expect((await read()).invalid).toBe(4);
  await send();
  child.kill('SIGHUP');
  await expect.poll(() => events('worker_replaced')).toHaveLength(3);
  expect(await read()).toEqual({ invalid: 5, limit: 30 });
});

test('what the primary logs, and what nobody reads of it, is measured too', async () => {
  const { origin, pids, printed, child, events } = await startWorkers({
    ...env,
    THROTTLE_RATE_LIMIT: '99999',
    THROTTLE_BURST_LIMIT: '99999',
    METRICS_PORT: '0',
  });
  const [, metrics = ''] = /^Metrics are on (\S+)$/m.exec(printed.join('\n')) ?? [];
  const read = async (name: string) => {
    const { body } = await ask(metrics);
    return Number(new RegExp(`^form_relay_${name} (\\d+)$`, 'm').exec(body)?.[1]);
  };
  const counted = (level: string, event: string) =>
    read(`log_events_total\\{level="${level}",event="${event}"\\}`);

  // Said once, counted once.
  expect(await counted('info', 'config_loaded')).toBe(1);
  expect(await counted('error', 'worker_ended')).toBe(0);
  kill(pids()[0] ?? 0, 'SIGKILL');
  await expect.poll(() => events('worker_ended')).toHaveLength(1);
  expect(await counted('error', 'worker_ended')).toBe(1);

  expect(await read('log_lines_lost_total')).toBe(0);
  child.stderr.pause();
  await expect
    .poll(
      async () => {
        await Promise.all(
          Array.from({ length: 500 }, () => ask(`${origin}/api/v1/submit/contact`, { body: 'name=' })),
        );
        return read('log_lines_lost_total');
      },
      { timeout: 60_000, interval: 1 },
    )
    .toBeGreaterThan(0);
  child.stderr.resume();
  await expect.poll(() => events('log_lines_lost')).toHaveLength(1);
  expect(await read('log_lines_lost_total')).toBe(events('log_lines_lost')[0]?.lines);
});

test('a socket that somebody opened is shared by all of them', async () => {
  const server = net.createServer();
  const port = await listen(server);
  const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const child = spawn(
    'sh',
    ['-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"', process.execPath, program, 'serve'],
    {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe', fd],
    },
  );
  onTestFinished(() => void child.kill('SIGTERM'));
  server.close();
  const output = createInterface(child.stdout as Readable);
  expect((await once(output, 'line'))[0]).toBe(
    'Form Relay listens on the socket that systemd opened with CONFIG_INLINE (1 form), 3 workers',
  );
  const workers: unknown[] = [];
  createInterface(child.stderr as Readable).on('line', (line) => workers.push(JSON.parse(line).worker));
  for (const _ of [1, 2, 3]) await ask(`http://127.0.0.1:${port}/api/v1/submit/contact`, { body: 'name=' });
  await expect.poll(() => workers.filter((one) => one !== undefined).sort()).toEqual([1, 2, 3]);
});

test('what may happen once is done by one of them, and by another one when that is gone', async () => {
  const beats: number[] = [];
  const service = http.createServer((_, answer) => {
    beats.push(Date.now());
    answer.end();
  });
  const port = await listen(service);
  onTestFinished(() => void service.close());
  const { events, pids } = await startWorkers({
    WORKERS: '3',
    CONFIG_INLINE: `heartbeat: {url_env: BEAT_URL, every: 10s}\n${formTo(9)}`,
    BEAT_URL: `http://127.0.0.1:${port}/`,
  });
  await expect.poll(() => events('heartbeat')).toEqual([expect.objectContaining({ worker: 1 })]);
  kill(pids()[0] ?? 0, 'SIGKILL');
  await expect
    .poll(() => events('heartbeat').map(({ worker }) => worker))
    .toEqual([1, expect.not.toSatisfy((worker) => worker === 1)]);
  expect(beats).toHaveLength(2);
});
