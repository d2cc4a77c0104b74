import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replay } from '../../packages/cli/src/rules/replay.ts';
import { createReport } from '../../packages/cli/src/rules/report.ts';
import type { Seen, Signal, SignalWorld } from '../../packages/relay/src/features/doubt/signals/signal.ts';
import type { Form } from '../../packages/relay/src/form.ts';
import { createRelay } from '../../packages/relay/src/relay.ts';
import { archiveInFolder } from '../../packages/stored/src/archive/in_folder.ts';
import type { Verdict } from '../../packages/stored/src/marks/verdicts.ts';
import { type Written, writeEntry } from '../archive/entries.ts';

const own = (name: string, weight: number, look: Signal['look']): Signal => ({
  name,
  weight,
  service: undefined,
  look,
});

const says =
  (word: string, strength = 1): Signal['look'] =>
  ({ values }) =>
    values.get('message')?.[0]?.includes(word) ? { strength, why: word } : undefined;

const service = (name: string, weight: number, look: Signal['look']): Signal => ({
  ...own(name, weight, look),
  service: { host: 'service.example', needs: [], probe: async () => {} },
});

interface Staged {
  readonly entries: readonly Written[];
  readonly signals: readonly Signal[];
  readonly marked?: Readonly<Record<string, Verdict>>;
  readonly asksServices?: boolean;
  /** Default: the form doubts, with what `signals` says. */
  readonly form?: (form: Form) => Form;
}

const now = Date.UTC(2030, 0, 1);

/** The form `contact`, with signals of the test's own. */
async function run({ entries, signals, marked = {}, asksServices = false, form = (one) => one }: Staged) {
  const root = await mkdtemp(join(tmpdir(), 'relay-rules-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const entry of entries) await writeEntry(root, entry);
  const { config, effects, settings } = createRelay({
    config: `forms:
  contact:
    language: de
    fields: [{name: email, type: email}, {name: message, type: textarea}]
    outputs: [{type: email, to: a@example.com, mapping: "*"}]`,
    env: {},
    effects: { now: () => now, log: () => {} },
  });
  const contact = (await config.get())?.forms.get('contact') as Form;
  const doubting: Form = form({
    ...contact,
    features: new Map([
      [
        'doubt',
        {
          signals,
          thresholds: [
            { action: 'challenge', from: 8 },
            { action: 'tag', from: 5 },
          ],
        },
      ],
    ]),
  });
  const report = createReport(
    new Map(Object.entries(marked).map(([id, verdict]) => [id, { verdict, at: 0 }])),
    asksServices,
  );
  const unknown: string[] = [];
  const troubles: string[] = [];
  const replaying = {
    formOf: (name: string) => (name === 'contact' ? doubting : undefined),
    settings,
    effects,
    asksServices,
    onUnknown: (name: string) => unknown.push(name),
  };
  const reading = { archive: archiveInFolder(root), unseal: undefined };
  for await (const replayed of replay(reading, {}, replaying, ({ what }) => troubles.push(what))) {
    report.add(replayed);
  }
  return { forms: report.forms(), unknown, troubles };
}

const entry = (id: string, message: string, at = '2026-11-20T10:00:00.000Z'): Written => ({
  id,
  at,
  values: { email: ['a@example.com'], message: [message] },
});

const signals = [
  own('offers', 5, says('offer')),
  own('links', 4, says('link', 0.5)),
  own('quiet', 3, () => undefined),
];

test('by signal: whom it speaks against, and whom it decides about', async () => {
  const { forms } = await run({
    signals,
    entries: [
      entry('a', 'offer'),
      entry('b', 'offer link'),
      entry('c', 'link'),
      entry('d', 'Hello'),
      entry('e', 'an offer for you'),
    ],
    marked: { a: 'spam', b: 'ham', c: 'spam', d: 'ham', gone: 'spam' },
  });
  expect(forms).toMatchObject([
    {
      form: 'contact',
      hasDoubt: true,
      submissions: { spam: 2, ham: 2, unmarked: 1 },
      actions: [
        { action: 'challenge', from: 8, spam: 0, ham: 0, unmarked: 0 },
        { action: 'tag', from: 5, spam: 1, ham: 1, unmarked: 1 },
      ],
      precision: 0.5,
      recall: 0.5,
      signals: [
        {
          signal: 'offers',
          weight: 5,
          against: { spam: 1, ham: 1, unmarked: 1 },
          decides: { spam: 1, ham: 1, unmarked: 1 },
        },
        {
          signal: 'links',
          against: { spam: 1, ham: 1, unmarked: 0 },
          decides: { spam: 0, ham: 0, unmarked: 0 },
        },
        { signal: 'quiet', against: { spam: 0, ham: 0, unmarked: 0 }, silent: 0 },
      ],
      hurt: { all: 1, first: [{ id: 'b', score: 7, signals: { offers: 5, links: 2 } }] },
      missed: { all: 1, first: [{ id: 'c', score: 2, signals: { links: 2 } }] },
      open: { all: 1, first: [{ id: 'e', received_at: '2026-11-20T10:00:00.000Z' }] },
    },
  ]);
});

test('of many, the report holds the ones that matter most', async () => {
  const entries = Array.from({ length: 450 }, (_, index) =>
    entry(`id-${index}`, 'x'.repeat(index), new Date(Date.UTC(2026, 10, 1) + index * 60_000).toISOString()),
  );
  const long = own('long', 100, ({ values }) => ({
    strength: (values.get('message')?.[0]?.length ?? 0) / 1_000,
    why: 'long',
  }));
  const { forms } = await run({ signals: [long], entries });
  const open = forms[0]?.open;
  expect(open?.all).toBe(400);
  expect(open?.first).toHaveLength(100);
  expect(open?.first.map(({ score }) => score)).toEqual(
    Array.from({ length: 100 }, (_, index) => Math.round((44.9 - index / 10) * 10) / 10),
  );
});

test('a submission stands in time where it came, and in the memory of those before it', async () => {
  const seen: (readonly [string | undefined, number, number])[] = [];
  const remembers = own('remembers', 1, ({ values, receivedAt }, { memory, effects }) => {
    const before = memory.late('test', () => new Map<string, number>());
    before.set(`${before.size}`, receivedAt);
    seen.push([values.get('message')?.[0], effects.now(), before.size]);
    return undefined;
  });
  await run({
    signals: [remembers],
    entries: [
      entry('b', 'second', '2026-11-20T10:00:01.000Z'),
      entry('a', 'first', '2026-11-19T10:00:00.000Z'),
    ],
  });
  expect(seen).toEqual([
    ['first', Date.UTC(2026, 10, 19, 10), 1],
    ['second', Date.UTC(2026, 10, 20, 10, 0, 1), 2],
  ]);
});

test('an archive knows nobody’s address or headers; marks that it has are not looked at', async () => {
  const seen: Seen[] = [];
  const look: Signal['look'] = (one) => void seen.push(one);
  const written = {
    ...entry('a', 'Hello'),
    values: { email: ['a@example.com'], message: ['Hello'], _doubt: ['6 (links)'], _aside: ['1'] },
  };
  await run({ signals: [own('looks', 1, look)], entries: [written] });
  expect(seen).toMatchObject([
    { formId: 'contact', languages: ['de'], headers: undefined, address: undefined },
  ]);
  expect([...(seen[0]?.values.keys() ?? [])]).toEqual(['email', 'message']);
});

test('services are asked in the present, and only where that is said', async () => {
  const times: number[] = [];
  const look = async ({ deadline }: Seen, { effects }: SignalWorld) => {
    times.push(effects.now(), deadline);
    return { silent: 'it is away' };
  };
  const staged = { signals: [...signals, service('asks', 4, look)], entries: [entry('a', 'offer')] };
  const left = await run(staged);
  expect(times).toEqual([]);
  expect(left.forms[0]?.signals.at(-1)).toMatchObject({ signal: 'asks', isLeftOut: true, silent: 0 });
  const asked = await run({ ...staged, asksServices: true });
  expect(times).toEqual([now, now + 24_000]);
  expect(asked.forms[0]?.signals.at(-1)).toMatchObject({ isLeftOut: false, silent: 1, why: 'it is away' });
});

test('what is sealed is told when there is no key', async () => {
  const { forms, troubles } = await run({
    signals,
    entries: [
      { ...entry('a', 'offer'), sealTo: ['age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'] },
    ],
  });
  expect({ forms, troubles }).toEqual({
    forms: [],
    troubles: [expect.stringMatching(/^is sealed; --identity/)],
  });
});
