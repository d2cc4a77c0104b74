/** Compares what visitors and outputs saw of each submission with what the inbox's index says of it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type State, states } from '../../apps/inbox/src/api.ts';
import type { EntryIndex } from '../../apps/inbox/src/entry_index.ts';
import { openIndex } from '../../apps/inbox/src/index/open_index.ts';
import type { ArchiveDocument } from '../../packages/more-outputs/src/archive_layout.ts';
import { readDocumentPath } from '../../packages/more-outputs/src/archive_layout.ts';
import type { Store } from '../../packages/queue/src/store.ts';
import { readLine } from '../../packages/stored/src/journal/lines_of.ts';
import { submissionOf } from '../../packages/stored/src/kept/list.ts';
import { type Folders, planOf } from './inbox_plan.ts';
import type { Sinks } from './inbox_sinks.ts';
import type { RelayProcess } from './relays.ts';

/** Without a status: a kill hid the answer. */
export interface Sent {
  readonly relay: RelayProcess;
  readonly at: number;
  readonly status?: number | undefined;
  readonly id?: string;
}

interface Told {
  readonly seed: number;
  readonly folders: Folders & { readonly index: string };
  readonly sent: ReadonlyMap<number, Sent>;
  /** One for each relay process that was started. */
  readonly lives: readonly RelayProcess[];
  readonly sinks: Pick<Sinks, 'taken' | 'ids'>;
  readonly store: Store;
}

/** A kill loses the journal's last group of lines: 100 ms, and what a busy machine adds to that. */
const lostMs = 3_000;

export async function compare({ seed, folders, sent, lives, sinks, store }: Told) {
  const violations: string[] = [];
  const journal = await readJournal(folders.journal);
  const archived = await readArchive(folders.archive);
  const ids = new Map<number, Set<string>>();
  const know = (n: number, id: string) => ids.set(n, (ids.get(n) ?? new Set()).add(id));
  for (const [n, { id }] of sent) if (id !== undefined) know(n, id);
  for (const [n, own] of [...sinks.ids, ...archived]) for (const id of own) know(n, id);
  for (const [n, own] of ids) if (own.size > 1) violations.push(`${n} is there as ${[...own].join(' and ')}`);

  const index = await readIndex({ folders, store });
  violations.push(...index.violations);
  const count = () => Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  const counts = { ledger: count(), index: count() };
  const hidden = { answers: 0, lines: 0, retries: 0 };
  // Answers and requests that were on their way are read after the kill.
  const wasKilledAfter = (at: number, withinMs: number) =>
    lives.some(({ killedAt }) => killedAt > at - lostMs && killedAt - at < withinMs);
  const known = new Set<string>();
  for (const [n, { relay, at, status, id: told }] of sent) {
    const plan = planOf(seed, n);
    const [id = ''] = told === undefined ? (ids.get(n) ?? []) : [told];
    known.add(id);
    const state = index.states.get(id);
    if (state === 'delivered' && !sinks.taken.has(n))
      violations.push(`${n} (${plan.name}) is delivered, but no output took it`);
    if (status === undefined) {
      hidden.answers += 1;
      if (!state && archived.has(n)) violations.push(`${n} (${plan.name}) is archived, but not in the inbox`);
      continue;
    }
    // The clock jumps while some are under way: they are kept after the time for an answer is up.
    const isLate = state === 'kept' || (state === 'delivered' && sinks.taken.has(n));
    const due: State = status === 200 ? plan.ends : isLate ? state : 'failed';
    counts.ledger[due] += 1;
    if (state) counts.index[state] += 1;
    if (due === 'delivered' && !sinks.taken.has(n))
      violations.push(`${n} was acknowledged, and never arrived`);
    if (state === due) continue;
    const { isAnswered = false, delivered = [], lines = [] } = journal.get(id) ?? {};
    const isLineLost = !isAnswered && relay.killedAt - at < lostMs;
    // The sink, which is output 1, knows when it took it; the archive does not.
    const isRetryLost =
      (!delivered.includes(1) && wasKilledAfter(sinks.taken.get(n) ?? 0, lostMs)) ||
      (!delivered.includes(0) && wasKilledAfter(at, Infinity));
    // Nothing else tells of a submission that no archive has.
    const mayLack = !archived.has(n) && (due === 'dropped' || due === 'failed');
    if (isLineLost && (state === 'unknown' || (state === undefined && mayLack))) {
      hidden.lines += 1;
    } else if (due === 'delivered' && state === 'unknown' && isRetryLost) {
      hidden.retries += 1;
    } else {
      violations.push(
        `${n} (${plan.name}, answered ${status}) is ${state ?? 'missing'} instead of ${due}; its lines: ${lines.join('; ')}`,
      );
    }
  }
  const strangers = [...index.states.keys()].filter((id) => !known.has(id)).length;
  if (strangers > hidden.answers)
    violations.push(`${strangers} are in the inbox that were never sent, of ${hidden.answers} unanswered`);
  return { counts, hidden, violations };
}

/** Indexes the folders as an inbox does that starts now, and lists every entry by its state. */
async function readIndex({ folders, store }: Pick<Told, 'folders' | 'store'>) {
  const { archive, journal } = folders;
  const index = await openIndex({
    sources: {
      archives: [
        { place: archive, name: archive, isDropped: false },
        { place: join(archive, '.dropped'), name: '.dropped', isDropped: true },
      ],
      stores: [{ name: folders.kept }],
      journal: { place: journal, name: journal },
    },
    folder: folders.index,
    program: new URL('../../dist/cli/index_worker.cjs', import.meta.url),
    listsAllKept: true,
    listKept: async () => {
      const all = [];
      for await (const { kept } of store.list()) {
        const { id, form, output, receivedAt: at } = kept;
        all.push({ store: 0, id, submission: submissionOf(id), form, output: output.type, at });
      }
      return all;
    },
  });
  try {
    await new Promise<void>((resolve) => {
      index.onProgress((progress) => progress === undefined && resolve());
    });
    // Each lists what is kept: once to see that something is gone, and once to be sure.
    await index.refresh();
    await index.refresh();
    return await statesIn(index);
  } finally {
    await index.close();
  }
}

async function statesIn(index: EntryIndex) {
  const violations: string[] = [];
  const found = new Map<string, State>();
  for (const state of states) {
    for await (const ids of index.ids({ state }, undefined)) {
      for (const id of ids) {
        if (found.has(id)) violations.push(`${id} is in the inbox as ${found.get(id)} and ${state}`);
        found.set(id, state);
      }
    }
  }
  const { total } = await index.window({}, 0, 1, undefined);
  if (total !== found.size) violations.push(`the inbox has ${total} entries, and ${found.size} with a state`);
  const { latest } = await index.troubles();
  violations.push(...latest.map((trouble) => `the inbox says: ${trouble}`));
  return { states: found, violations };
}

/** Which lines reached the disk, by submission. */
async function readJournal(folder: string) {
  const told = new Map<string, { isAnswered: boolean; delivered: number[]; lines: string[] }>();
  for (const name of await readdir(folder)) {
    for (const text of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      const line = readLine(text);
      if (!line) continue;
      const one = told.get(line.id) ?? { isAnswered: false, delivered: [], lines: [] };
      told.set(line.id, one);
      one.lines.push(text);
      if (line.kind === 'submission') one.isAnswered = true;
      const deliveries = line.kind === 'submission' ? (line.deliveries ?? []) : [line];
      for (const { output, result } of deliveries)
        if (result === 'delivered' && !one.delivered.includes(output)) one.delivered.push(output);
    }
  }
  return told;
}

/** The ids of archived submissions, dropped ones included, by number. */
async function readArchive(folder: string) {
  const ids = new Map<number, Set<string>>();
  for (const path of await readdir(folder, { recursive: true })) {
    if (!readDocumentPath(path.replace(/^\.dropped\//, ''))) continue;
    const document = JSON.parse(await readFile(join(folder, path), 'utf8')) as ArchiveDocument;
    const n = Number(document.fields.find(({ name }) => name === 'n')?.values[0]);
    ids.set(n, (ids.get(n) ?? new Set()).add(document.id));
  }
  return ids;
}
