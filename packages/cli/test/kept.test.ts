import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { account } from '../../../test/support/aws/signature.ts';
import { startSqs } from '../../../test/support/aws/sqs.ts';
import {
  httpSink,
  type SinkAnswer,
  type SunkRequest,
  tempFolder,
  untilEnd,
} from '../../../test/support/index.ts';
import { keptOf } from '../../../test/support/stores/place.ts';
import { makeQueues, openQueue } from '../../../test/support/stores/sqs.ts';
import type { Queued } from '../../stores/src/store.ts';
import { fillStore, type QueuedSample, storeIn } from './kept_store.ts';
import { openTerminal } from './terminal.ts';
import { checkTranscript } from './transcript.ts';

const hour = 3_600_000;
const [first, second] = [1, 2].map((nth) => `7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a1${nth}`) as [string, string];

// Runs some forty commands, one after the other.
test('a queued submission is listed, shown, retried, exported and deleted', {
  timeout: 600_000,
}, async () => {
  const transcript = new URL('transcripts/kept/kept.txt', import.meta.url);
  const [, config = ''] = /^-- webform.yaml --\n(.*?)^-- /ms.exec(await readFile(transcript, 'utf8')) ?? [];
  const store = join(tempFolder(), 'store');
  const [longAgo, lately] = [Date.now() - 73.5 * hour, Date.now() - 3.55 * hour];
  await fillStore(store, config, [
    {
      form: 'contact',
      id: first,
      at: longAgo,
      values: { name: 'Ada Lovelace', email: 'ada@example.org', message: '=1+1\nis "this" \u202eon?' },
    },
    {
      form: 'jobs',
      id: second,
      at: lately,
      values: { name: 'Grace' },
      files: [['cv', 'cv.txt', 'my cv\n']],
      why: { code: 'http_status', words: 'the server answered 422' },
      deadLetter: 'refused',
    },
  ]);
  await checkTranscript(transcript, {
    env: { STORE: store },
    instead: [
      [new Date(longAgo).toISOString(), '3 DAYS AGO'],
      [new Date(lately).toISOString(), '4 HOURS AGO'],
    ],
  });
});

test('hidden entries of a queue are counted on stderr, separate from the JSON', async () => {
  const queue = await untilEnd(startSqs(Date.now));
  makeQueues(queue);
  const store = await openQueue(queue, Date.now);
  const hidden = keptOf(Date.now());
  await store.keep([hidden], { isMine: false, dueAt: Date.now() + hour, timeoutMs: 60_000 });
  await store.close();
  const { run } = await openTerminal({ env: { ...account, AWS_ENDPOINT_URL_SQS: queue.origin } });
  const place = '--in sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept';
  for (const command of ['list', 'list --json', 'export']) {
    const { code, stderr } = await run(`relay kept ${command} ${place}`);
    expect(code, command).toBe(0);
    expect(stderr, command).toMatch(/1 queued in total, as counted by the queue\n.*SQS hides/);
  }
});

const config = (more = '') => `
keep: {in: kept}
forms:
  contact:
    keep: failed
    fields: [{name: email}]
    outputs:
      - type: http_post
        url_env: CRM_URL
        headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}'}
        mapping: "*"
        retries: 0
${more}`;

interface Staged {
  readonly queued: readonly Partial<QueuedSample>[];
  readonly answer?: (request: SunkRequest) => SinkAnswer | Promise<SinkAnswer>;
  readonly files?: Readonly<Record<string, string>>;
  /** When it was queued. */
  readonly config?: string;
}

/** A terminal next to a store, and the server that its output delivers to. */
async function stage({ queued, answer, files = {}, config: then = config() }: Staged) {
  const sink = await httpSink({ answer });
  const terminal = await openTerminal({
    files: { 'webform.yaml': config(), ...files },
    env: { CRM_URL: `${sink.origin}/leads`, CRM_TOKEN: 't0ken' },
  });
  const store = join(terminal.cwd, 'kept');
  const all = queued.map((one, nth) => ({
    form: 'contact',
    id: `${first}-${nth}`.replace(/-(\d)$/, '$1'),
    at: Date.now() - hour,
    values: { email: `${nth}@example.org` },
    ...one,
  }));
  await fillStore(store, then, all);
  return {
    terminal,
    requests: sink.requests,
    /** Rewrites both entries, as an attacker with write access to the store could. */
    alter: async (change: (kept: Queued, other: Queued) => Queued) => {
      const opened = await storeIn(store);
      const all: Queued[] = [];
      for await (const { kept } of opened.list()) all.push(kept);
      for await (const lease of opened.leaseMatching(() => true)) {
        const other = all.find(({ id }) => id !== lease.kept.id) as Queued;
        await lease.reschedule(0, change(lease.kept, other));
      }
      await opened.close();
    },
    /** The remaining deliveries, by id. */
    left: async () => {
      const opened = await storeIn(store);
      const left = new Map();
      for await (const { kept, deadLetter } of opened.list())
        left.set(kept.id, { tries: kept.tries, deadLetter, words: kept.why?.words });
      await opened.close();
      return left;
    },
  };
}

describe('queued deliveries are delivered by the command', () => {
  test('as the relay would, under the same id, and are then deleted', async () => {
    const { terminal, requests, left } = await stage({
      queued: [{ id: first }, { id: second, deadLetter: 'refused' }],
    });
    const { stdout, stderr, code } = await terminal.run('relay kept deliver');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toContain(`delivered  ${first}-0  contact  http_post to the address in CRM_URL\n`);
    expect(stdout).toMatch(/^2 delivered$/m);
    expect(requests.map(({ headers }) => headers['idempotency-key']).sort()).toEqual([
      `${first}-0`,
      `${second}-0`,
    ]);
    expect(requests.map(({ body }) => body).sort()).toEqual([
      'email=0%40example.org',
      'email=1%40example.org',
    ]);
    expect(requests[0]?.headers.authorization).toBe('Bearer t0ken');
    expect(await left()).toEqual(new Map());
  });

  test('and a failed delivery stays in the queue, with its reason', async () => {
    const { terminal, left } = await stage({
      queued: [{ id: first }, { id: second, deadLetter: 'expired' }],
      answer: () => ({ status: 422 }),
    });
    const { stdout, code } = await terminal.run('relay kept deliver');
    expect(code).toBe(1);
    expect(stdout).toContain(
      `failed  ${first}-0  contact  http_post to the address in CRM_URL: the server answered 422\n`,
    );
    expect(await left()).toEqual(
      new Map([
        [`${first}-0`, { tries: 2, deadLetter: undefined, words: 'the server answered 422' }],
        [`${second}-0`, { tries: 2, deadLetter: 'expired', words: 'the server answered 422' }],
      ]),
    );
  });

  test('encrypted: only with the right KEEP_SECRET', async () => {
    const keepSecret = 'a long and random secret';
    const { terminal, requests, left } = await stage({ queued: [{ id: first, keepSecret }] });
    expect((await terminal.run('relay kept deliver')).stdout).toContain(
      "is encrypted; set KEEP_SECRET to the relay's value",
    );
    expect((await terminal.run('KEEP_SECRET=another relay kept deliver')).stdout).toContain(
      'is encrypted with another KEEP_SECRET, damaged, or altered in the store',
    );
    expect((await left()).get(`${first}-0`)).toMatchObject({ tries: 1, deadLetter: undefined });
    expect(await terminal.run(`KEEP_SECRET='${keepSecret}' relay kept deliver`)).toMatchObject({ code: 0 });
    expect(requests).toHaveLength(1);
  });

  test('if the output is gone, to another that the owner names', async () => {
    const more = '      - {type: webhook, url: "https://crm.example.com/hook", mapping: "*"}\n';
    const { terminal, requests, left } = await stage({ queued: [{ id: first }], config: config(more) });
    const lost = await terminal.run(`relay kept deliver ${first}-1`);
    expect(lost.code).toBe(1);
    const why = '"contact" no longer has this output; choose another with --output';
    expect(lost.stdout).toContain(why);
    const retried = { code: 1, stdout: '1 delivery due now\n', stderr: `${first}-1: ${why}\n` };
    expect(await terminal.run('relay kept retry --all')).toEqual(retried);
    const none = await terminal.run(`relay kept retry ${first}-1 --output 7`);
    expect(none).toMatchObject({ code: 1, stderr: `${first}-1: "contact" has no outputs[7]\n` });
    expect(requests).toEqual([]);
    expect(await terminal.run(`relay kept retry ${first}-1 --output 0`)).toMatchObject({ code: 0 });
    expect(await terminal.run(`relay kept deliver ${first}-1`)).toMatchObject({ code: 0 });
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([`${first}-1`]);
    expect([...(await left()).keys()]).toEqual([`${first}-0`]);
  });

  test('not if a newer relay wrote the entry: no command touches the file', async () => {
    const { terminal, requests } = await stage({ queued: [{ id: first }] });
    const sums = 'find kept -type f -exec cksum {} +';
    await terminal.run("find kept -type f -exec sed -i '1s/kept 1$/kept 2/' {} +");
    const { stdout: before } = await terminal.run(sums);
    for (const line of ['list', 'deliver', 'deliver --output 0'])
      expect((await terminal.run(`relay kept ${line}`)).stdout).toContain('a newer relay wrote the entry');
    expect(requests).toEqual([]);
    expect((await terminal.run(sums)).stdout).toBe(before);
  });

  test('after Ctrl-C, deliveries in progress are completed, and the rest stays', async () => {
    let waiting: (() => void) | undefined;
    const { terminal, requests, left } = await stage({
      queued: [{}, {}, {}],
      answer: () =>
        new Promise((resolve) => {
          waiting = () => resolve({ status: 200 });
        }),
    });
    const delivering = terminal.run('STARTED=1 relay kept deliver 2> told & echo $! > pid; wait $!');
    await expect.poll(() => requests.length, { timeout: 30_000 }).toBe(1);
    const pid = Number(await readFile(join(terminal.cwd, 'pid'), 'utf8'));
    process.kill(pid, 'SIGINT');
    await expect.poll(() => readFile(join(terminal.cwd, 'told'), 'utf8'), { timeout: 30_000 }).not.toBe('');
    waiting?.();
    expect((await delivering).stdout).toMatch(/^1 delivered$/m);
    expect(requests).toHaveLength(1);
    expect((await left()).size).toBe(2);
  });
});

test.each([
  ['a byte of the text is changed', `sed -i s/example.org/example.oro/ $(grep -rl example.org kept)`],
  ['the file is cut off', 'truncate -s 40 $(grep -rl example.org kept)'],
])('a damaged entry is reported, and stays until the owner deletes it: %s', async (_, damage) => {
  const { terminal, requests } = await stage({ queued: [{ id: first }] });
  expect(await terminal.run(damage)).toMatchObject({ code: 0 });
  const { stdout } = await terminal.run('relay kept list --json');
  const { id } = JSON.parse(stdout);
  const isCut = damage.startsWith('truncate');
  if (isCut) expect((await terminal.run('relay kept list')).stdout).toContain('unknown output  queued');
  for (const line of ['deliver', 'list --show', 'export', `show ${id}`, ...(isCut ? ['retry --all'] : [])]) {
    const { stdout, stderr, code } = await terminal.run(`relay kept ${line}`);
    expect({ line, code }).toEqual({ line, code: 1 });
    expect(stdout + stderr).toContain('damaged');
    expect(stdout + stderr).not.toContain('no longer has');
    expect(stdout + stderr).not.toContain('example.or');
  }
  expect(requests).toEqual([]);
  expect(await terminal.run(`relay kept drop ${id}`)).toMatchObject({ code: 0, stderr: '' });
  expect(await terminal.run('relay kept list')).toMatchObject({ stdout: 'no deliveries are queued\n' });
});
