import { readFile, rename, writeFile } from 'node:fs/promises';
import { type Lesson, lessonsOf } from '@form-relay/learning/features';
import type { Marked } from '@form-relay/learning/marked';
import { train } from '@form-relay/learning/train';
import {
  type Caught,
  enoughPeople,
  judged,
  type Trial,
  type TrialOptions,
  tryOut,
} from '@form-relay/learning/try_out';
import { type Config, printable } from '@form-relay/relay/config';
import { doubt, freeTexts, learnedKey } from '@form-relay/relay/features';
import { type Model, readList, seedsOf, writeModel } from '@form-relay/relay/schema';
import { whyUnreadable } from '@form-relay/relay/transports';
import type { Choice } from '@form-relay/stored/archive/archive';
import { readAll } from '@form-relay/stored/archive/export';
import { CommandFailed } from './command_failed.ts';
import { loadConfig } from './load_config.ts';
import { withArchive } from './open_archive.ts';
import { markedMessages } from './rules/marked_messages.ts';
import { count } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';
import { loadVerdicts } from './verdict_file.ts';
import { whyUnwritten } from './why_unwritten.ts';

export interface LearnOptions extends GlobalOptions, Choice {
  readonly archive?: string;
  readonly verdicts?: string;
  readonly identity?: string;
  readonly messages?: string;
  readonly spam?: string;
  readonly ham?: string;
  readonly model: string;
  readonly anyway?: boolean;
  readonly json?: boolean;
}

/** Fewer marks of either kind prove nothing. */
const leastMarks = 30;
const mostWrong = 20;

/** Learns from marks, tells how good that would have been, and writes the model unless it is of no use. */
export async function learnRules(options: LearnOptions): Promise<void> {
  const { model: file, anyway = false, json = false } = options;
  const key = process.env[learnedKey] ?? '';
  if (key.length < 16)
    throw new CommandFailed(
      `set ${learnedKey} to a secret of 16 characters or more, here and where the relay runs; openssl rand -hex 32 makes one`,
    );
  const config = await loadConfig(options.config);
  const seeds = seedsOf(key);
  const { lessons, copies } = lessonsOf(await gather(options, config), seeds);
  const limits = limitsOf(config);
  const trial = tryOut(lessons, limits);
  const spam = lessons.filter(({ isSpam }) => isSpam).length;
  const ham = lessons.length - spam;
  const inUse = await read(file, seeds.check);
  const problem = whyUseless(spam, ham, trial) ?? (inUse && whyWorse(inUse, lessons, trial, limits));
  const isWritten = problem === undefined || anyway;
  if (isWritten) {
    const model: Model = {
      ...train(lessons),
      ...{ check: seeds.check, spam, ham, people: trial.people, steps: trial.steps, madeAt: Date.now() },
    };
    await write(file, writeModel(model));
  }
  const facts = { spam, ham, copies, trial, problem, written: isWritten ? file : undefined };
  process.stdout.write(json ? `${JSON.stringify(facts, null, 2)}\n` : report(facts));
  if (!isWritten) process.exitCode = 1;
}

/** Reads what was named, with marks of its own (`messages`) or with one for all of a file. */
async function gatherFiles({ messages, spam, ham }: LearnOptions): Promise<Marked[]> {
  const marked: Marked[] = [];
  for (const [name, areSpam] of [[messages], [spam, true], [ham, false]] as const) {
    if (name === undefined) continue;
    const bytes = await readFile(name).catch((error) => {
      throw new CommandFailed(`${name}: ${whyUnreadable(error)}`);
    });
    const tell = (place: string, why: string) => {
      process.stderr.write(`${name}, ${place}: ${why}; left out\n`);
      process.exitCode = 1;
    };
    for (const one of await markedMessages(bytes, { name, areSpam, now: Date.now(), tell })) marked.push(one);
  }
  return marked;
}

async function gather(options: LearnOptions, config: Config): Promise<readonly Marked[]> {
  const { archive, verdicts: file, identity } = options;
  if (archive === undefined && !(options.messages ?? options.spam ?? options.ham))
    throw new CommandFailed('name where the marked messages are: --archive, --messages, --spam or --ham');
  const marked = await gatherFiles(options);
  if (archive === undefined) return marked;
  const verdicts = await loadVerdicts({ archive, ...(file !== undefined && { verdicts: file }) });
  await withArchive({ from: archive, ...(identity !== undefined && { identity }) }, async (reading, tell) => {
    const seen = new Set<string>();
    for await (const { entry, document } of readAll(reading, options, tell)) {
      const verdict = verdicts.get(entry.id);
      const form = config.forms.get(entry.form);
      if (verdict === undefined || seen.has(entry.id)) continue;
      seen.add(entry.id);
      const values = new Map(document.fields.map(({ name, values }) => [name, values]));
      const texts = form ? freeTexts({ fields: form.fields, values }) : [...values.values()].flat();
      marked.push({ id: entry.id, texts, isSpam: verdict === 'spam', at: entry.receivedAt });
    }
  });
  return marked;
}

/** The largest shares of the weight that stay below the least `tag`, and the least `drop`, of all forms. */
function limitsOf(config: Config) {
  let [tag, drop, weight] = [Infinity, Infinity, 6];
  for (const form of config.forms.values()) {
    const { thresholds = [], signals = [] } = doubt.of(form) ?? {};
    for (const { action, from } of thresholds) {
      if (action === 'tag') tag = Math.min(tag, from);
      if (action === 'drop') drop = Math.min(drop, from);
    }
    weight = Math.max(weight, signals.find(({ name }) => name === 'learned')?.weight ?? 0);
  }
  const below = (from: number) => Math.max(0, Math.min(1, (from - 0.1) / weight));
  return { mostBelowTag: below(Math.min(tag, drop, 4)), mostBelowDrop: below(drop) };
}

function whyUseless(spam: number, ham: number, trial: Trial): string | undefined {
  if (Math.min(spam, ham) < leastMarks)
    return `needs ${leastMarks} different messages of each kind, and there are ${spam} and ${ham}`;
  return trial.steps.length === 0 ? 'it cannot tell newer spam from what people write' : undefined;
}

/** The model in use, if it was made with the same key. */
async function read(file: string, check: string): Promise<Model | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = await readList('model', text);
  const model = found.ok ? found.value.list.model : undefined;
  return model?.check === check ? model : undefined;
}

/** Compares with the model in use, on what came since that was made. */
function whyWorse(
  inUse: Model,
  lessons: readonly Lesson[],
  trial: Trial,
  limits: TrialOptions,
): string | undefined {
  const before = judged(
    inUse,
    lessons.filter(({ at }) => at > inUse.madeAt),
    limits,
  );
  if (Math.min(before.spam, before.people) < leastMarks) return undefined;
  const share = (one: Trial) => one.atHalf.caught / one.spam;
  return share(before) > share(trial) + 0.05
    ? `the model in use catches ${percent(share(before))} of what came since, and this one ${percent(share(trial))}`
    : undefined;
}

/** A relay that reads it meanwhile finds the old one or the new one. */
async function write(file: string, text: string): Promise<void> {
  const next = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(next, text, { mode: 0o600 });
    await rename(next, file);
  } catch (error) {
    throw new CommandFailed(`${file}: ${whyUnwritten(error)}`);
  }
}

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

const caughtWords = ({ caught, from, to }: Caught, { spam }: Trial): string =>
  `${caught} of ${spam} caught (${spam === 0 ? '0 %' : percent(caught / spam)}; 95 % certain: ${percent(from)} to ${percent(to)})`;

function report({
  spam,
  ham,
  copies,
  trial,
  problem,
  written,
}: {
  readonly spam: number;
  readonly ham: number;
  readonly copies: number;
  readonly trial: Trial;
  readonly problem: string | undefined;
  readonly written: string | undefined;
}): string {
  const { people, wrong } = trial;
  const lines = [
    `${spam} different messages marked as spam, and ${ham} as none; ${count(copies, 'copy', 'copies')} left out`,
    `learned from the older 70 % of each, and tried on the newer ${trial.spam} and ${people}:`,
    `  with no false alarm: ${caughtWords(trial.atNone, trial)}`,
    `  with ${count(trial.atHalf.falseAlarms, 'false alarm')} (0.5 %): ${caughtWords(trial.atHalf, trial)}`,
  ];
  if (people > 0)
    lines.push(
      `  no false alarm among ${people} people bounds their rate at ${percent(Math.min(1, 3 / people))}`,
    );
  if (people < enoughPeople)
    lines.push(
      `  until ${enoughPeople} newer messages from people were tried, its points alone stay below tag`,
    );
  if (wrong.length > 0) {
    lines.push(`it would have got ${count(wrong.length, 'message')} wrong:`);
    for (const { id, isSpam } of wrong.slice(0, mostWrong))
      lines.push(`  ${printable(id)}: ${isSpam ? 'spam that gets no points' : 'a person who gets some'}`);
    if (wrong.length > mostWrong) lines.push(`  and ${wrong.length - mostWrong} more`);
  }
  if (problem !== undefined) lines.push(`${written ? 'written anyway' : 'not written'}: ${problem}`);
  if (written !== undefined) lines.push(`written: ${printable(written)}`);
  return `${lines.join('\n')}\n`;
}
