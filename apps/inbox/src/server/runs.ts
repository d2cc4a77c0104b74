/** Bulk actions, which continue without the page: one run at a time for each person. */
import { ClientError } from '@form-relay/base/client_error';
import type { ActionDone, Mark, Run, RunRequest } from '../api.ts';
import { AuditFailed, maySee, type Person } from '../gate.ts';
import { auditedAs, record, recorded, recordFailure } from './answer.ts';
import type { InboxOptions } from './options.ts';

/** The most submissions in a run, whose ids are held in memory. */
export const mostInRun = 100_000;
const mostRuns = 4;
const mostRemembered = 1_000;
/** Skips the rest of a form after this many failures in a row, because each may take half a minute. */
const mostInARow = 10;
/** The index rereads changed places after this many submissions. */
const refreshEvery = 25;
const mostReasons = 20;

export interface Chosen {
  readonly id: string;
  readonly form: string;
}

export type Runs = ReturnType<typeof createRuns>;

interface Running extends Omit<Run, 'reasons' | 'canUndo'> {
  state: Run['state'];
  of: number;
  done: number;
  failed: number;
  left: number;
  readonly why: Map<string, number>;
  /** Marks before the run. */
  readonly before: Map<string, Mark | undefined>;
}

export function createRuns(options: InboxOptions) {
  const { index, actions, learner } = options;
  const all = new Map<string, Running>();
  const keyOf = ({ subject = '' }: Person) => subject;
  const isRunning = (run: Running | undefined) => run?.state === 'running';

  const fail = (run: Running, words: string, count = 1) => {
    run.failed += count;
    if (run.why.size < mostReasons || run.why.has(words))
      run.why.set(words, (run.why.get(words) ?? 0) + count);
  };

  async function work(run: Running, person: Person, request: RunRequest, chosen: readonly Chosen[]) {
    const isStopped = () => run.state !== 'running' || person.isStill?.() === false;
    try {
      await (request.action === 'deliver'
        ? deliver(run, person, chosen, isStopped)
        : each(run, person, request, chosen, isStopped));
    } catch (error) {
      const isExpected = error instanceof ClientError || error instanceof AuditFailed;
      if (!isExpected) options.broken(error);
      run.why.set(isExpected ? error.message : broken, 1);
    }
    run.left = run.of - run.done - run.failed;
    if (isRunning(run)) run.state = person.isStill?.() === false ? 'cancelled' : 'done';
  }

  async function each(
    run: Running,
    person: Person,
    request: Exclude<RunRequest, { action: 'deliver' }>,
    chosen: readonly Chosen[],
    isStopped: () => boolean,
  ): Promise<void> {
    const changed: string[] = [];
    const refresh = () => index.refresh(...changed.splice(0));
    const inARow = new Map<string, number>();
    for (const one of chosen) {
      if (isStopped()) break;
      if ((inARow.get(one.form) ?? 0) >= mostInARow) continue;
      const { isDone, words, isUntaken } = await attempt(run, person, request, one);
      inARow.set(one.form, isUntaken ? (inARow.get(one.form) ?? 0) + 1 : 0);
      if (isDone) run.done += 1;
      else fail(run, withoutId(words, one.id));
      if (request.action !== 'mark' && changed.push(one.id) >= refreshEvery) await refresh();
    }
    if (changed.length > 0) await refresh();
    if (request.action === 'restore')
      for (const { form } of new Map(chosen.map((one) => [one.form, one])).values()) learner?.soon(form);
  }

  async function attempt(
    run: Running,
    person: Person,
    request: Exclude<RunRequest, { action: 'deliver' }>,
    { id, form }: Chosen,
  ): Promise<ActionDone> {
    const entry = await index.get(id);
    if (!entry || !actions || !maySee(person, form) || !person.may('act', form)) return gone;
    try {
      const done = await recorded(options, person, auditedAs[request.action], entry, () =>
        actions.run(id, request),
      );
      if (done.isDone && request.action === 'mark') {
        run.before.set(id, entry.mark);
        await index.setMark(id, request.mark);
      }
      return done;
    } catch (error) {
      if (error instanceof AuditFailed) throw error;
      options.broken(error);
      return { isDone: false, words: broken };
    }
  }

  async function deliver(run: Running, person: Person, chosen: readonly Chosen[], isStopped: () => boolean) {
    const forms = new Map(chosen.map(({ id, form }) => [id, form]));
    let since: string[] = [];
    await actions?.deliverAll(forms, {
      isStopped,
      begin: (id, form) => record(options, person, 'delivered', { id, form }),
      tell: (id, result, words) => {
        since.push(id);
        if (result === 'delivered') run.done += 1;
        else if (result === 'failed') {
          fail(run, withoutId(words, id));
          void recordFailure(options, person, 'delivered', { id, form: forms.get(id) });
        } else run.why.set(words, (run.why.get(words) ?? 0) + 1);
        if (since.length < refreshEvery) return;
        void index.refresh(...since).catch(() => {});
        since = [];
      },
    });
    await index.refresh(...since);
  }

  return {
    of: (person: Person): Run | undefined => shown(all.get(keyOf(person))),
    /** Starts a run, or returns why it cannot start. */
    async start(person: Person, request: RunRequest, chosen: readonly Chosen[]): Promise<Run | string> {
      const key = keyOf(person);
      if (isRunning(all.get(key)))
        return 'you already have a bulk action in progress; wait for it, or cancel it';
      if ([...all.values()].filter(isRunning).length >= mostRuns)
        return 'the inbox is running its maximum of actions; try again in a moment';
      const { action } = request;
      const run: Running = {
        ...{ action, mark: action === 'mark' ? request.mark : undefined, state: 'running' },
        ...{ of: chosen.length, done: 0, failed: 0, left: 0, why: new Map(), before: new Map() },
      };
      // Moves the entry to the end, so that the map is sorted by last use.
      all.delete(key);
      for (const [old, one] of all) if (all.size >= mostRemembered && !isRunning(one)) all.delete(old);
      all.set(key, run);
      if (action === 'deliver') {
        const counts = await Promise.all(
          chosen.map(async ({ id }) => (await index.get(id))?.kept.length ?? 0),
        );
        run.of = counts.reduce((sum, count) => sum + count, 0);
      }
      void work(run, person, request, chosen);
      return shown(run) as Run;
    },
    /** Stops the run before the next submission. */
    cancel(person: Person): Run | undefined {
      const run = all.get(keyOf(person));
      if (run && isRunning(run)) run.state = 'cancelled';
      return shown(run);
    },
    /** Undoes marks; other actions cannot be undone. */
    async undo(person: Person): Promise<Run | undefined> {
      const run = all.get(keyOf(person));
      if (!run || !canUndo(run)) return shown(run);
      const before = new Map<string, Mark | undefined>();
      for (const [id, mark] of run.before) {
        const form = (await index.get(id))?.form ?? '';
        if (maySee(person, form) && person.may('act', form)) before.set(id, mark);
      }
      run.before.clear();
      await record(options, person, 'marked', { count: before.size });
      await actions?.unmark(before);
      for (const [id, mark] of before) await index.setMark(id, mark);
      run.state = 'undone';
      return shown(run);
    },
    forget(person: Person): void {
      const key = keyOf(person);
      if (!isRunning(all.get(key))) all.delete(key);
    },
    close(): void {
      for (const run of all.values()) if (isRunning(run)) run.state = 'cancelled';
    },
  };
}

const canUndo = ({ state, before }: Running) => state !== 'running' && before.size > 0;

function shown(run: Running | undefined): Run | undefined {
  if (!run) return undefined;
  const { why, before: _, ...facts } = run;
  const reasons = [...why].map(([words, count]) => ({ words, count })).toSorted((a, b) => b.count - a.count);
  return { ...facts, reasons, canUndo: canUndo(run) };
}

/** Removes the id, so that failures that differ only by submission count as one reason. */
const withoutId = (words: string, id: string) => words.replaceAll(id, '…');

const gone: ActionDone = {
  isDone: false,
  words: 'The submission was not found, or you no longer have access to it.',
};
const broken = 'Something went wrong; see the terminal of the inbox.';
