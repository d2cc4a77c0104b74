/** Everybody keeps a fair share, even if one person uses up all of theirs. */
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import type { AuditedThing, Person } from '../src/gate.ts';
import { ReadFlags } from '../src/index/reader.ts';
import { createShares } from '../src/server/about.ts';
import { post, stage } from './stage.ts';

vi.setConfig({ testTimeout: 60_000 });

/** An inbox in which the header `who` names the person; bob may only read. */
async function stageOf(...ids: readonly string[]) {
  const audited: (AuditedThing & { readonly who: string; readonly what: string })[] = [];
  const at = await stage(
    ids.map((id) => ({ id, at: '2026-11-20T10:00:00.000Z', values: { email: [`${id}@example.org`] } })),
    {
      person: ({ headers: { who = 'ada' } }): Person => ({
        name: who,
        subject: who,
        forms: undefined,
        may: (right) => right === 'read' || who === 'ada',
        isStill: () => true,
      }),
      audit: async ({ name }, what, about) => void audited.push({ who: name, what, ...about }),
    },
  );
  const limited = () => audited.filter(({ what }) => what === 'limited');
  /** Sends a request, or only its start. Resolves with the status, or when the connection ends. */
  const hold = (who: string, method: string, path: string, head = '', body = '') => {
    const socket = net.connect(at.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const status = new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(String(data).slice(9, 12)));
      socket.on('close', () => resolve('')).on('error', () => resolve(''));
    });
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\nwho: ${who}\r\n${head}\r\n${body}`,
    );
    return { socket, status };
  };
  return { ...at, hold, limited };
}

test('event streams', async () => {
  const { hold, limited } = await stageOf();
  const bob = Array.from({ length: 64 }, () => hold('bob', 'GET', '/api/events'));
  const statuses = await Promise.all(bob.map(({ status }) => status));
  expect(statuses.filter((status) => status === '200')).toHaveLength(8);
  expect(statuses.filter((status) => status === '429')).toHaveLength(56);
  expect(await hold('ada', 'GET', '/api/events').status).toBe('200');
  expect(limited()).toEqual([{ who: 'bob', what: 'limited', limit: 'streams' }]);
  // Closing a connection releases its place.
  const [first] = bob.filter((_, nth) => statuses[nth] === '200');
  first?.socket.destroy();
  await expect.poll(() => hold('bob', 'GET', '/api/events').status).toBe('200');
});

test.each(['/api/read', '/api/entries/one/again', '/api/person', '/api/person/export'])(
  'endless request bodies, for %s',
  async (path) => {
    const { ask, hold, limited } = await stageOf('one');
    const head = 'content-type: application/json\r\ncontent-length: 1000\r\n';
    const bob = Array.from({ length: 100 }, () => hold('bob', 'POST', path, head, '{'));
    await Promise.all(bob.map(({ socket }) => once(socket, 'connect')));
    expect((await ask('/api/read', post({ ids: ['one'], read: true }, { who: 'ada' }))).status).toBe(200);
    expect((await ask('/api/entries/one', { headers: { who: 'ada' } })).status).toBe(200);
    for (const who of ['ada', 'bob'])
      expect((await ask('/api/export?format=csv', { headers: { who } })).status).toBe(200);
    expect(limited()).toEqual([]);
  },
);

test('requests per minute', async () => {
  const clock = { now: 0 };
  const begun: string[] = [];
  const shares = createShares(
    () => clock.now,
    ({ name }, limit) => void begun.push(`${name} ${limit}`),
  );
  const personOf = (name: string): Person => ({ name, subject: name, forms: undefined, may: () => true });
  const ask = async (name: string) => {
    const leave = await shares.enter(personOf(name), 'requests');
    if (typeof leave === 'string') return leave;
    leave();
    return 'answered';
  };
  const counts = new Map<string, number>();
  for (let count = 0; count < 6_400; count += 1) {
    const ending = await ask('bob');
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  expect([...counts]).toEqual(Object.entries({ answered: 6_000, pace: 400 }));
  expect(await ask('ada')).toBe('answered');
  expect(begun).toEqual(['bob pace']);
  clock.now += 60_000;
  expect(await ask('bob')).toBe('answered');
});

test('read flags: the file keeps only the latest of each', async () => {
  const { ask, archive } = await stageOf('one', 'two');
  const file = join(archive, '../index/read.jsonl');
  const mark = (read: boolean) => ask('/api/read', post({ ids: ['one', 'one'], read }, { who: 'bob' }));
  for (let count = 0; count < 20; count += 1) expect((await mark(true)).status).toBe(200);
  expect(await readFile(file, 'utf8')).toBe('+one\n');
  const path = join(archive, '../read.jsonl');
  const flags = new ReadFlags(path);
  const ids = Array.from({ length: 1_000 }, (_, nth) => `id-${nth}-${'x'.repeat(100)}`);
  for (let count = 0; count < 40; count += 1) {
    flags.add(ids, true);
    flags.add(ids.slice(1), false);
  }
  flags.add(['two'], true);
  expect((await stat(path)).size).toBeLessThan(1_500_000);
  expect([...flags.read()].filter(([, isRead]) => isRead)).toEqual([
    [ids[0], true],
    ['two', true],
  ]);
});
