/** The journal's lines tell what became of a submission, in whatever order their files are read. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Entries } from '../../apps/inbox/src/index/entries.ts';
import { openTables } from '../../apps/inbox/src/index/tables.ts';
import { tell } from '../../apps/inbox/src/server/letter.ts';
import { readLine } from '../../packages/stored/src/journal/lines_of.ts';

const id = '7d0f6d0e-3c1a-4a53-9c0e-000000000001';
const at = '2026-11-21T10:00:00.000Z';
const later = '2026-11-21T10:01:00.000Z';

const answered = (result: string, outputs: readonly string[] = [], more: object = {}) => ({
  kind: 'submission',
  at,
  id,
  form: 'contact',
  result,
  ms: 12,
  ...more,
  deliveries: outputs.map((result, output) => ({ output, type: 'email', result, attempts: 1 })),
});
const tried = (output: number, result: string, more: object = {}) => ({
  ...{ kind: 'delivery', at: later, id, form: 'contact', output, type: 'email', result, attempts: 2 },
  age_ms: 60_000,
  ...more,
});
const held = answered('held');
const confirmed = answered('delivered', ['delivered'], { confirmed_at: later });
const dropped = answered('dropped', [], { by: 'honeypot', reason: 'the decoy field was filled' });
const restored = answered('delivered', ['delivered'], { restored: true, ms: 90_000 });

/** An index that has read these lines. */
function indexed(lines: readonly object[]): Entries {
  const folder = mkdtempSync(join(tmpdir(), 'relay-index-'));
  const db = openTables(folder, '');
  onTestFinished(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });
  const entries = new Entries(db, []);
  entries.write(() => {
    for (const one of lines) {
      const text = JSON.stringify(one);
      const line = readLine(text);
      if (line) entries.take(line, text);
    }
  });
  return entries;
}

/** Each ordering of the lines. */
const orders = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  all.length < 2
    ? [all]
    : all.flatMap((one, at) => orders(all.filter((_, nth) => nth !== at)).map((rest) => [one, ...rest]));

const stories: readonly (readonly [string, readonly object[], string])[] = [
  ['delivered', [answered('delivered', ['delivered', 'skipped'])], 'delivered'],
  ['delivered after it was kept', [answered('kept', ['kept']), tried(0, 'delivered')], 'delivered'],
  [
    'kept first, and delivered by its first attempt',
    [answered('kept', ['kept']), tried(0, 'delivered', { attempts: 1 })],
    'delivered',
  ],
  ['kept for one output of two', [answered('delivered', ['delivered', 'kept']), tried(1, 'waiting')], 'kept'],
  [
    'delivered twice, since a process was killed before it could note the first time',
    [
      answered('kept', ['kept']),
      tried(0, 'delivered'),
      tried(0, 'waiting', { at: '2026-11-21T10:02:00.000Z' }),
    ],
    'delivered',
  ],
  ['over its time', [answered('kept', ['kept']), tried(0, 'deleted')], 'failed'],
  ['failed for one output', [answered('delivered', ['delivered', 'failed'])], 'failed'],
  [
    'failed, and sent again',
    [answered('delivered', ['failed']), tried(0, 'delivered', { asked: 'again', attempts: 1 })],
    'delivered',
  ],
  [
    'delivered, and sent again in vain',
    [answered('delivered', ['delivered']), tried(0, 'failed', { asked: 'again' })],
    'delivered',
  ],
  ['set aside', [answered('aside', ['delivered'], { doubt: { score: 9, signals: {} } })], 'aside'],
  [
    'set aside and kept, then delivered to the outputs for that',
    [
      answered('kept', ['kept'], { doubt: { score: 9, action: 'aside', signals: {} } }),
      tried(0, 'delivered'),
    ],
    'aside',
  ],
  ['dropped', [dropped], 'dropped'],
  ['dropped and restored', [dropped, restored], 'delivered'],
  ['held', [held], 'held'],
  ['held and confirmed', [held, confirmed], 'delivered'],
  ['confirmed twice', [held, confirmed, confirmed], 'delivered'],
  [
    'confirmed in vain, then again',
    [held, answered('undelivered', ['failed'], { confirmed_at: later }), confirmed],
    'delivered',
  ],
  ['refused', [answered('invalid')], 'failed'],
];

test.each(stories)('a submission that was %s is so in each order of its lines', (_, lines, state) => {
  const all = orders(lines).map((order, nth) => ({ order, id: `in order ${nth}` }));
  const entries = indexed(all.flatMap(({ order, id }) => order.map((line) => ({ ...line, id }))));
  for (const { id } of all) expect(entries.get(id)?.state).toBe(state);
});

test('the letter has the last word on each output, whichever file is read first', () => {
  const journal = [tried(0, 'delivered'), answered('kept', ['kept'])].map((line) => JSON.stringify(line));
  const entry = {
    ...{
      id,
      form: 'contact',
      receivedAt: Date.parse(at),
      state: 'delivered' as const,
      isDoubted: false,
      isRead: false,
    },
    ...{ isSealed: false, sender: '', summary: '', files: 0, stored: [], kept: [], journal },
  } as const;
  const { deliveries, story } = tell(entry, undefined);
  expect(deliveries).toMatchObject([{ output: 0, result: 'delivered', ms: 60_000 }]);
  expect(story.map(({ words }) => words)).toEqual([
    'Received',
    'email: kept for a later try',
    'Answered: kept',
    'email: delivered (2 attempts)',
  ]);
});

const whole = answered('delivered', ['delivered']);
const notLines: readonly (readonly [string, unknown])[] = [
  ['nothing', ''],
  ['a half one', JSON.stringify(whole).slice(0, -10)],
  ['null', null],
  ['a list', [whole]],
  ['another kind', { ...whole, kind: 'person' }],
  ['no time', { ...whole, at: 'yesterday' }],
  ['a time beyond all calendars', { ...whole, at: '+275760-09-13T00:00:00.001Z' }],
  ['an id that is none', { ...whole, id: {} }],
  ['milliseconds as text', { ...whole, ms: '12' }],
  ['milliseconds before the beginning', { ...whole, ms: -1 }],
  ['milliseconds beyond all calendars', { ...whole, ms: 1e308 }],
  ['deliveries that are none', { ...whole, deliveries: {} }],
  ['a delivery that is none', { ...whole, deliveries: [null] }],
  ['half an output', { ...whole, deliveries: [{ output: 0.5, type: 'email', result: 'kept' }] }],
  ['signals that are none', { ...whole, doubt: { score: 1, signals: null } }],
  ['a reason that is none', { ...tried(0, 'waiting'), reason: { toString: 1 } }],
  ['counts of an earlier version', { kind: 'stats', at, form: 'contact', views: 1, starts: 0, sends: 0 }],
  ['too long', { ...whole, reason: 'x'.repeat(200_000) }],
];

test.each(notLines)('is no line: %s', (_, line) => {
  expect(readLine(typeof line === 'string' ? line : JSON.stringify(line))).toBeUndefined();
});
