/** Trains the config's models with marked submissions, in the background. */
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { siblingPath } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import { whyTooFew } from '@form-relay/learning/learn';
import { readModelFile } from '@form-relay/learning/train';
import { mostOfOthers } from '@form-relay/learning/try_out';
import { type Model, seedsOf } from '@form-relay/spam/lists/model';
import type {} from '@form-relay/spam/score/index';
import { learnedKey } from '@form-relay/spam/signals/lists';
import { isBucket } from '@form-relay/stored/archive/open';
import { done, refused } from '../actions/context.ts';
import type { ActionDone, LearnedModel } from '../api.ts';
import type { EntryIndex, MarkCounts, Sources } from '../entry_index.ts';
import type { LearnEnding, LearnTask } from './learn_worker.ts';

export interface LearnerContext {
  readonly index: Pick<EntryIndex, 'countMarks' | 'marked'>;
  readonly sources: Pick<Sources, 'archives'>;
  /** The latest valid config. */
  readonly config: () => Config | undefined;
  /** The location of the config: a file or an S3 address. */
  readonly configName: string;
  readonly env: (name: string) => string | undefined;
  readonly now: () => number;
  readonly program: URL;
  readonly broken: (error: unknown) => void;
}

export type ModelState = Omit<LearnedModel, 'mayLearn'>;

export type Learner = ReturnType<typeof createLearner>;

/** The number of new marks that triggers training. */
const enoughMarks = 20;
const lookEveryMs = 2_000;
const leastKey = 16;
/** 100,000 messages take half of this. */
const mostMegabytes = 512;

interface Named {
  readonly name: string;
  readonly forms: readonly string[];
}

interface Tried {
  /** When marks were last read for training, in milliseconds since the epoch. */
  readonly at: number;
  readonly problem: string | undefined;
}

export function createLearner(context: LearnerContext) {
  const { index, config, configName, env, now } = context;
  const tried = new Map<string, Tried>();
  const wanted = new Set<string>();
  const listeners = new Set<() => void>();
  let learning: { readonly name: string; readonly thread: Worker } | undefined;
  let looking: Promise<void> | undefined;
  let isClosed = false;

  const read = async ({ name, forms }: Named) => {
    const model = await readModelFile(fileOf(name));
    const counts = await index.countMarks(forms, model?.madeAt ?? 0);
    return { model, counts, why: whyNot(model) ?? whyFew(counts) };
  };

  const fileOf = (name: string) => resolve(siblingPath(configName, name));

  /** Why the model cannot be trained here, regardless of marks. */
  function whyNot(model: Model | undefined): string | undefined {
    const key = env(learnedKey) ?? '';
    if (configName.startsWith('s3://'))
      return 'the config is in a bucket; run relay rules learn to write a model, and upload it next to the config';
    if (key === '') return `${learnedKey} is not set where this inbox runs`;
    if (key.length < leastKey) return `${learnedKey} is shorter than ${leastKey} characters`;
    return model && model.check !== seedsOf(key).check
      ? `the model was made with a different ${learnedKey}`
      : undefined;
  }

  async function look(): Promise<void> {
    for (const one of modelsIn(config())) {
      if (isClosed) return;
      const { model, why } = await read(one);
      const isWanted = wanted.delete(one.name);
      if (why !== undefined) continue;
      const since = Math.max(model?.madeAt ?? 0, tried.get(one.name)?.at ?? 0);
      const { newer } = await index.countMarks(one.forms, since);
      if (isWanted || newer >= enoughMarks) await teach(one);
    }
  }

  function lookSoon(): void {
    looking ??= look()
      .catch((error: unknown) => {
        // The index has stopped, so every further attempt would fail.
        clearInterval(timer);
        if (!isClosed) context.broken(error);
      })
      .finally(() => {
        looking = undefined;
      });
  }

  async function teach({ name, forms }: Named): Promise<void> {
    const latest = config();
    if (!latest) return;
    const at = now();
    const task: LearnTask = {
      file: fileOf(name),
      key: env(learnedKey) ?? '',
      folders: context.sources.archives.map(({ place }) => (isBucket(place) ? undefined : place)),
      marked: await index.marked(forms),
      fields: new Map(
        forms.map((form) => [
          form,
          latest.forms.get(form)?.fields.map(({ name, type }) => ({ name, type })) ?? [],
        ]),
      ),
      now: at,
    };
    if (isClosed) return;
    const thread = new Worker(context.program, {
      workerData: task,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    });
    learning = { name, thread };
    emitChange();
    const { problem } = await endingOf(thread, context.broken);
    learning = undefined;
    tried.set(name, { at, problem });
    emitChange();
  }

  function emitChange(): void {
    for (const then of listeners) then();
  }

  const timer = setInterval(lookSoon, lookEveryMs);
  timer.unref();
  return {
    models: (): Promise<readonly ModelState[]> =>
      Promise.all(
        modelsIn(config()).map(async (one) => {
          const { model, counts, why } = await read(one);
          const { spam, ham, newer } = counts;
          const last = tried.get(one.name);
          // Another inbox or a command may have trained the model since.
          const isLatest = last !== undefined && last.at >= (model?.madeAt ?? 0);
          return {
            ...one,
            marks: { spam, ham, newer },
            made: model && madeOf(model),
            isLearning: learning?.name === one.name,
            why: why ?? (isLatest ? last.problem : undefined),
          };
        }),
      ),
    /** Trains immediately, even with few new marks. @param name As in the config. */
    async learn(name: string): Promise<ActionDone> {
      const one = modelsIn(config()).find((one) => one.name === name);
      if (!one) return refused('the config no longer names this model');
      const { counts, why } = await read(one);
      if (why !== undefined) return refused(why);
      wanted.add(name);
      lookSoon();
      return done(`Learning from ${counts.spam + counts.ham} marked submissions.`);
    },
    /** Trains shortly, because a submission of this form was restored. */
    soon(form: string): void {
      const one = modelsIn(config()).find(({ forms }) => forms.includes(form));
      if (one) wanted.add(one.name);
    },
    /** Calls back when training starts or ends. Returns a function that unsubscribes. */
    onChange(then: () => void): () => void {
      listeners.add(then);
      return () => void listeners.delete(then);
    },
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await learning?.thread.terminate();
      await looking;
    },
  };
}

function modelsIn(config: Config | undefined): readonly Named[] {
  const models = new Map<string, string[]>();
  for (const form of config?.forms.values() ?? []) {
    for (const { model } of form.provided.get('doubt')?.signals ?? [])
      if (model) models.set(model.path, [...(models.get(model.path) ?? []), form.id]);
  }
  return [...models].map(([name, forms]) => ({ name, forms }));
}

function whyFew({ spam, ham, sealed }: MarkCounts): string | undefined {
  const why = whyTooFew(spam, ham);
  return why === undefined || sealed === 0
    ? why
    : `${why}; ${sealed} more are sealed: open them with relay rules learn --identity`;
}

const madeOf = ({ madeAt: at, spam, ham, tried, caught, people, reached }: Model): LearnedModel['made'] => ({
  at,
  spam,
  ham,
  tried,
  caught,
  people,
  reached,
  mostOfOthers: mostOfOthers(reached, people),
});

const endingOf = (thread: Worker, broken: (error: unknown) => void): Promise<LearnEnding> =>
  new Promise((resolve) => {
    thread.on('message', resolve);
    thread.on('error', (error: NodeJS.ErrnoException) => {
      const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!isTooMuch) broken(error);
      resolve({
        problem: isTooMuch
          ? 'not enough memory for this many messages; run relay rules learn instead'
          : 'something went wrong; see the terminal of the inbox',
      });
    });
    thread.on('exit', () => resolve({ problem: 'the training was stopped' }));
  });
