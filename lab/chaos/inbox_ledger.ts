/** Compares what visitors and outputs saw of each submission with what the inbox's index says. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type State, states } from '../../apps/inbox/src/api.ts';
import type { EntryIndex } from '../../apps/inbox/src/entry_index.ts';
import { openIndex } from '../../apps/inbox/src/index/open_index.ts';
import type { ArchiveDocument } from '../../packages/more-outputs/src/archive_layout.ts';
import { readDocumentPath } from '../../packages/more-outputs/src/archive_layout.ts';
import { Ledger as Figures } from '../../packages/report/src/figures.ts';
import { openArchive } from '../../packages/stored/src/archive/open.ts';
import { submissionOf } from '../../packages/stored/src/kept/list.ts';
import type { OpenedStore } from '../../test/support/stores/place.ts';
import { type Folders, planOf } from './inbox_plan.ts';
import type { Sinks } from './inbox_sinks.ts';

/** The status is missing if a kill hid the answer. */
export interface Sent {
  readonly status?: number | undefined;
  readonly id?: string;
}

/** The log is flushed every few milliseconds; a kill loses the answers since the last flush. */
const lostLines = 200;

interface Records {
  readonly seed: number;
  readonly folders: Folders & { readonly index: string };
  readonly sent: ReadonlyMap<number, Sent>;
  readonly sinks: Pick<Sinks, 'taken' | 'ids'>;
  readonly store: OpenedStore;
}

export async function compare({ seed, folders, sent, sinks, store }: Records) {
  const violations: string[] = [];
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
  let unanswered = 0;
  const known = new Set<string>();
  for (const [n, { status, id: knownId }] of sent) {
    const plan = planOf(seed, n);
    const [id = ''] = knownId === undefined ? (ids.get(n) ?? []) : [knownId];
    known.add(id);
    const state = index.states.get(id);
    if (status === undefined) unanswered += 1;
    if (!state && archived.has(n)) violations.push(`${n} (${plan.name}) is archived, but not in the inbox`);
    if (status !== 200) continue;
    counts.ledger[plan.ends] += 1;
    if (state) counts.index[state] += 1;
    if (plan.ends === 'stored' && plan.form !== 'gates' && !sinks.taken.has(n))
      violations.push(`${n} was acknowledged, and never arrived`);
    if (state !== plan.ends)
      violations.push(`${n} (${plan.name}) is ${state ?? 'missing'} instead of ${plan.ends}`);
  }
  const strangers = [...index.states.keys()].filter((id) => !known.has(id)).length;
  if (strangers > unanswered)
    violations.push(`${strangers} are in the inbox that were never sent, of ${unanswered} unanswered`);
  return { counts, unanswered, violations };
}

/** Compares `relay report`, form by form, with what visitors read. Kills hide answers, and truncate logs. */
export async function compareReport({
  seed,
  folders,
  sent,
  store,
  logs,
}: Omit<Records, 'sinks'> & { readonly logs: string }) {
  const ledger = new Figures({ from: -Infinity, to: Infinity });
  const folder = dirname(logs);
  for (const name of await readdir(folder))
    if (name.startsWith(basename(logs)))
      for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) ledger.line(line);
  for await (const { id, form, receivedAt } of openArchive(folders.archive).entries({}, () => {}))
    ledger.archived(id, form, receivedAt);
  const kept = new Set<string>();
  for await (const { kept: entry } of store.list()) kept.add(submissionOf(entry.id));
  const violations: string[] = [];
  const counts: Record<string, object> = {};
  for (const form of ['now', 'failed', 'always', 'stuck', 'gates']) {
    const seen = { acknowledged: 0, refused: 0, unanswered: 0 };
    for (const [n, { status }] of sent) {
      const plan = planOf(seed, n);
      // Dropped and invalid submissions do not count as received.
      if (plan.form !== form || plan.ends === 'dropped' || plan.name === 'invalid') continue;
      seen[status === undefined ? 'unanswered' : status === 200 ? 'acknowledged' : 'refused'] += 1;
    }
    const { days: _, medianMs, ...figures } = ledger.figures(new Set([form]), (id) => kept.has(id));
    const { received, onTime, late, waiting, lost, unknown, told } = figures;
    counts[form] = { ...seen, ...figures, medianMs };
    const expect = (says: string, is: boolean) => is || violations.push(`${form}: ${says}`);
    const within = (count: number, least: number) => count >= least && count <= least + seen.unanswered;
    expect('the sum differs', onTime + late + waiting + lost + unknown === received);
    expect(`received ${received}`, within(received, seen.acknowledged + seen.refused));
    const isRight = lost === told && lost >= seen.refused - unknown && lost <= seen.refused + seen.unanswered;
    expect(`lost ${lost}, of which ${told} were told`, isRight);
    // A killed process loses the log lines of its last answers.
    expect(`nothing says what came of ${unknown}`, unknown <= seen.unanswered + lostLines);
    if (form === 'stuck') expect(`${waiting} wait`, within(waiting, seen.acknowledged));
    else expect(`${waiting} wait`, waiting === 0);
    if (form !== 'stuck')
      expect(`${onTime + late} arrived`, within(onTime + late + unknown, seen.acknowledged));
  }
  return { counts, violations };
}

/** Indexes the folders as a newly started inbox does, and lists every entry by state. */
async function readIndex({ folders, store }: Pick<Records, 'folders' | 'store'>) {
  const { archive } = folders;
  const index = await openIndex({
    sources: {
      archives: [
        { place: archive, name: archive, isDropped: false },
        { place: join(archive, '.dropped'), name: '.dropped', isDropped: true },
      ],
      stores: [{ name: folders.kept }],
    },
    folder: folders.index,
    program: new URL('../../dist/cli/index_worker.cjs', import.meta.url),
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
    for await (const rows of index.rows({ state }, undefined)) {
      for (const { id } of rows) {
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

/** Ids of archived submissions, including dropped ones, by number. */
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
