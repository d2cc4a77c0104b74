/** Bulk actions over HTTP: reasons for attention, runs, numbers and summaries, with outputs that fail. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { Written } from '../../../packages/stored/test/entries.ts';
import { listen, relayWith, tempFolder } from '../../../test/support/index.ts';
import type { Numbers, Reason, Run, Summary, Window } from '../src/api.ts';
import { openInboxOf, slow } from './learning_stage.ts';
import { write } from './stage.ts';

/** An output that accepts a given number of submissions, then answers 503. */
async function openSink() {
  const taken: string[] = [];
  const sink = { taken, room: 0, port: 0 };
  const server = createServer((incoming, outgoing) => {
    if (sink.room > 0) taken.push(String(incoming.headers['idempotency-key']));
    outgoing.writeHead(sink.room > 0 ? 200 : 503).end();
    sink.room -= 1;
  });
  sink.port = await listen(server);
  onTestFinished(() => void server.close());
  return sink;
}

const fields = `[{name: name}, {name: topic, type: select, options: [{value: o, label: An offer}, {value: r, label: A repair}]}, 
      {name: size, type: number}, {name: day, type: date}, {name: message, type: textarea}, 
      {name: rate, type: grid, label: Your view, rows: [{value: s, label: Service}], options: [{value: g, label: Good}, {value: p, label: Poor}]}]`;

async function stage(entries: readonly Written[], dropped: readonly Written[] = []) {
  const cwd = tempFolder();
  const sink = await openSink();
  for (const name of ['archive', 'kept']) await mkdir(join(cwd, name), { mode: 0o700 });
  await write(join(cwd, 'archive'), entries);
  await write(join(cwd, 'archive', '.dropped'), dropped);
  const outputs = `[{type: folder, path: ${cwd}/archive}, {type: http_post, url: "http://127.0.0.1:${sink.port}/", mapping: "*"}]`;
  await writeFile(
    join(cwd, 'webform.yaml'),
    `keep: {in: ${cwd}/kept, for: 3d}
forms:
  contact: {fields: ${fields}, outputs: ${outputs}}
  kept: {keep: failed, fields: ${fields}, outputs: ${outputs}}`,
  );
  const inbox = await openInboxOf(cwd);
  await inbox.has(entries.length + dropped.length);
  const ended = async () => {
    const now = async () => (await inbox.ask<{ run: Run }>('/api/run')).body.run;
    await expect.poll(async () => (await now()).state, { timeout: slow, interval: 50 }).not.toBe('running');
    return now();
  };
  return {
    ...inbox,
    cwd,
    sink,
    ended,
    total: async (query: string) => (await inbox.ask<Window>(`/api/entries?${query}`)).body.total,
    run: async (query: string, request: object) => {
      expect((await inbox.ask(`/api/run?${query}`, request)).status).toBe(200);
      return ended();
    },
  };
}

const at = (nth: number) => new Date(Date.UTC(2026, 10, 20 + (nth % 5), 10, 0, nth)).toISOString();
const many = (count: number, more: Partial<Written> = {}): readonly Written[] =>
  Array.from({ length: count }, (_, nth) => ({
    id: `id-${nth}`,
    at: at(nth),
    values: { name: [`N${nth}`] },
    ...more,
  }));

test('restores many while the output fails again: nothing is lost or delivered twice', {
  timeout: slow,
}, async () => {
  const dropped = { by: 'honeypot', reason: 'the field `website` was filled in' };
  const { run, total, sink, ask, ended, about } = await stage([], many(60, { more: { dropped } }));
  const counts = async () => (await about()).forms.find(({ id }) => id === 'contact')?.attention;
  expect(await counts()).toMatchObject({ dropped: 60, failed: 0 });
  const reasons = await ask<{ reasons: readonly Reason[] }>('/api/reasons?state=dropped&mark=none');
  expect(reasons.body.reasons).toMatchObject([
    { reason: 'honeypot', count: 60, says: 'Dropped by honeypot' },
  ]);
  sink.room = 20;
  const first = await run('state=dropped&mark=none', { action: 'restore' });
  expect(first).toMatchObject({ state: 'done', of: 60, done: 20, failed: 10, left: 30, canUndo: false });
  expect(first.reasons[0]).toMatchObject({
    count: 10,
    words: expect.stringMatching(
      /http_post .* did not accept the submission.*503.*The submission was not restored/i,
    ),
  });
  expect(await total('state=dropped')).toBe(40);
  sink.room = Infinity;
  const running = ask('/api/run?state=dropped', { action: 'restore' });
  expect((await running).status).toBe(200);
  expect((await ask('/api/run?state=dropped', { action: 'restore' })).status).toBe(409);
  await ask('/api/run/cancel', {});
  const cancelled = await ended();
  expect(cancelled.state).toBe('cancelled');
  // The index catches up with the archive.
  await expect.poll(() => total('state=dropped')).toBe(40 - cancelled.done);
  await run('state=dropped', { action: 'restore' });
  await expect.poll(() => total('state=dropped')).toBe(0);
  expect(new Set(sink.taken).size).toBe(60);
  expect(sink.taken).toHaveLength(60);
});

test('delivers what an outage has queued, and says why it was queued', { timeout: slow }, async () => {
  const { run, total, sink, cwd, ask, has } = await stage([]);
  const relay = await relayWith({ env: { CONFIG_FILE: join(cwd, 'webform.yaml') } });
  for (let nth = 0; nth < 12; nth += 1) await relay.submit('kept', [['name', `N${nth}`]]);
  await has(12);
  await expect.poll(() => total('state=waiting'), { timeout: slow }).toBe(12);
  const { reasons } = (await ask<{ reasons: readonly Reason[] }>('/api/reasons?state=waiting')).body;
  expect(reasons).toEqual([
    {
      ...{
        form: 'kept',
        reason: 'the server answered 503',
        count: 12,
        says: '127.0.0.1 answered 503',
      },
      remedy: 'Ask the operator of 127.0.0.1: the server has an error',
      since: expect.any(Number),
      until: (reasons[0]?.since ?? 0) + 3 * 86_400_000,
    },
  ]);
  expect(await total(`reason=${encodeURIComponent(reasons[0]?.reason ?? '')}`)).toBe(12);
  expect(await run('state=waiting', { action: 'deliver' })).toMatchObject({ done: 0, failed: 3, left: 9 });
  sink.room = Infinity;
  expect(await run('state=waiting', { action: 'deliver' })).toMatchObject({
    of: 12,
    done: 12,
    failed: 0,
    left: 0,
  });
  expect(await total('state=waiting')).toBe(0);
  expect(new Set(sink.taken).size).toBe(12);
  expect(sink.taken).toHaveLength(12);
});

test('marks many and undoes that; each submission is in exactly one count', {
  timeout: slow,
}, async () => {
  const doubt = { score: 4, signals: { links: 3, gibberish: 1 } };
  const plain = many(20).map((one, nth) => ({ ...one, ...(nth % 4 === 0 && { more: { doubt } }) }));
  const { run, total, ask, about } = await stage(plain);
  expect(await total('state=doubted')).toBe(5);
  await run('', { action: 'mark', mark: 'spam', ids: ['id-0'] });
  const done = await run('state=doubted', { action: 'mark', mark: 'ham' });
  expect(done).toMatchObject({ done: 4, canUndo: true });
  expect([await total('mark=ham'), await total('state=doubted')]).toEqual([4, 0]);
  expect((await ask<{ run: Run }>('/api/run/undo', {})).body.run.state).toBe('undone');
  expect([await total('mark=ham'), await total('mark=spam'), await total('state=doubted')]).toEqual([
    0, 1, 4,
  ]);
  const day = (nth: number) => [Date.UTC(2026, 10, 20 + nth), Date.UTC(2026, 10, 21 + nth)];
  for (const query of ['', 'form=contact', 'search=N1', 'state=doubted']) {
    const { body } = await ask<Numbers>(`/api/numbers?${query}`, { days: [0, 1, 2, 3, 4].map(day) });
    const sum = (all: readonly Numbers['days'][number][]) =>
      all.flatMap(Object.values).reduce((a, b) => a + b, 0);
    expect(body.received).toBe(await total(query));
    expect([sum(body.days), sum(body.forms.map(({ counts }) => counts))]).toEqual([
      body.received,
      body.received,
    ]);
  }
  expect((await about()).forms[0]?.attention).toMatchObject({ doubted: 4 });
});

test('sums up the answers of a form, and counts those that cannot be read', { timeout: slow }, async () => {
  const recipient = await identityToRecipient(await generateX25519Identity());
  const answers = many(9).map((one, nth) => ({
    ...one,
    values: {
      name: [`N${nth}`],
      topic: [nth % 3 === 0 ? 'r' : 'o'],
      size: [String(nth + 1)],
      day: [`2026-12-0${1 + (nth % 2)}`],
      message: [`The window is broken, please come. ${nth === 8 ? '=cmd()' : ''}`],
    },
    more: { fields: [] },
  }));
  const withGrid = answers.map(({ values, ...one }) => ({
    ...one,
    more: {
      fields: [
        ...Object.entries(values).map(([name, values]) => ({ name, label: name, values })),
        { name: 'rate', label: 'Your view', values: ['{"s":"g"}'], in_words: ['Service: Good'] },
      ],
    },
  }));
  const { ask, total } = await stage([
    ...withGrid,
    { id: 'sealed', at: at(1), values: { name: ['hidden'] }, sealTo: [recipient] },
  ]);
  const summary = (await ask<Summary>('/api/summary?form=contact')).body;
  expect(summary).toMatchObject({ of: 10, read: 9, sealed: 1, unreadable: 0, isDone: true });
  const field = (name: string) => summary.fields.find((one) => one.name === name);
  expect(field('topic')).toMatchObject({
    bars: [
      { label: 'An offer', count: 6 },
      { label: 'A repair', count: 3 },
    ],
  });
  expect(field('size')).toMatchObject({
    marks: { least: 1, lower: 3, median: 5, upper: 7, most: 9, mean: 5 },
  });
  expect(field('day')).toMatchObject({
    bars: [
      { label: '2026-12-01', count: 5 },
      { label: '2026-12-02', count: 4 },
    ],
  });
  expect(field('rate')).toMatchObject({
    columns: ['Good', 'Poor'],
    rows: [{ label: 'Service', counts: [9, 0] }],
  });
  expect(field('message')).toMatchObject({
    words: [{ label: 'window', count: 9 }, { label: 'broken' }, { label: 'come' }, { label: 'cmd' }],
  });
  // The labels are searchable and listed, not the JSON.
  expect(await total('search=service%20good')).toBe(9);
  const { entries } = (await ask<Window>('/api/entries?count=1')).body;
  expect(entries[0]?.summary).toContain('Service: Good');
  expect((await ask<Summary>('/api/summary?form=contact&search=N1')).body.read).toBe(1);
});
