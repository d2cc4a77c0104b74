/** `relay rules`. */
import { ok } from '@form-relay/base/result';
import { count } from '@form-relay/base/terminal';
import { readTextFile, whyUnwritten } from '@form-relay/base/text_file';
import { type Command, CommandFailed, command, flag, needed, option } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { loadConfig } from '@form-relay/runtimes/config_file';
import { inspectConfig } from '@form-relay/runtimes/inspect';
import { anyText, fileName, textSchema } from '@form-relay/schema/scalars';
import { buckets, type Model, seedsOf, writeModel } from '@form-relay/spam/lists/model';
import { enoughPeople, learnedKey } from '@form-relay/spam/signals/lists';
import type { Choice } from '@form-relay/stored/archive/archive';
import { findEntries } from '@form-relay/stored/archive/command';
import { readAll } from '@form-relay/stored/archive/export';
import {
  addVerdict,
  loadVerdicts,
  type Verdict,
  type VerdictOptions,
  verdictFile,
  verdictLine,
  verdicts,
} from '@form-relay/stored/marks/verdicts';
import {
  archiveName,
  archiveOption,
  form,
  identity,
  since,
  until,
  verdictsFile,
} from '@form-relay/stored/options';
import { withArchive } from '@form-relay/stored/terminal';
import { filesNamedIn } from '@form-relay/yaml/document';
import { printable } from '@form-relay/yaml/problem';
import { type Learned, learn, textsToLearn } from './learn.ts';
import { LessonCollector, readModelFile, writeModelFile } from './train.ts';
import { type Caught, markedLines, mostOfOthers, percent, type Trial } from './try_out.ts';

const mark = command({
  name: 'mark',
  summary: 'mark a submission as spam or not spam',
  description:
    'mark a submission in an archive as spam, or not spam (ham), in a file beside the archive, for relay rules learn and the inbox',
  arguments: {
    id: needed('id', "the submission's id, from relay archive list", anyText),
    verdict: needed(
      'verdict',
      'spam or ham',
      textSchema((text) => text as Verdict),
      { choices: verdicts },
    ),
  },
  options: { archive: archiveOption, form, verdicts: verdictsFile },
  examples: [
    [
      'relay rules mark 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 ham --archive archive',
      'mark it as from a person; the latest mark counts',
    ],
  ],
  run: ({ id, verdict, ...options }) => markSubmission(id, verdict, options),
});

const learnCommand = command({
  name: 'learn',
  summary: 'learn from messages marked as spam or not spam',
  description:
    'learn from messages marked as spam or not spam, test the model on newer messages, and write it for the signal learned, unless it is of no use',
  options: {
    archive: option('archive', 'the archive with the marked submissions', archiveName),
    verdicts: verdictsFile,
    identity,
    form,
    since,
    until,
    messages: option('file', 'a file of marked messages, as JSON Lines', fileName),
    model: needed('file', 'write the model to this file', fileName, { fallback: 'spam.model' }),
    anyway: flag('write the model even if it is of no use'),
    json: flag('print the report as JSON'),
  },
  examples: [
    [
      'relay rules learn --archive archive --model spam.model',
      'from submissions marked with relay rules mark or in the inbox',
    ],
    ['relay rules learn --messages marked.jsonl', 'from messages of another source'],
  ],
  run: (options, { configOption }) => learnRules(options, configOption),
});

const rules: Command = {
  name: 'rules',
  summary: 'mark submissions as spam or not, and learn from them',
  commands: [mark, learnCommand],
};

export const plugin: Plugin = { name: 'rules', commands: [rules] };

interface LearnOptions extends Choice {
  readonly archive?: string;
  readonly verdicts?: string;
  readonly identity?: string;
  readonly messages?: string;
  readonly model: string;
  readonly anyway?: boolean;
  readonly json?: boolean;
}

const mostListed = 20;

/** Learns from marks, reports how well that model would have done, and writes it unless it is useless. */
async function learnRules(options: LearnOptions, configOption: string | undefined): Promise<void> {
  const { model: file, anyway = false, json = false } = options;
  const key = process.env[learnedKey] ?? '';
  if (key.length < 16)
    throw new CommandFailed(
      `set ${learnedKey} to a secret of at least 16 characters, here and where the relay runs; create one with openssl rand -hex 32`,
    );
  const seeds = seedsOf(key);
  const now = Date.now();
  const collector = new LessonCollector(seeds);
  await gather(options, collector, configOption);
  const inUse = await readModelFile(file);
  const replaced = inUse?.check === seeds.check ? inUse : undefined;
  const { model, ...found } = learn({ learnFrom: collector.lessons(), seeds, inUse: replaced, now });
  const isWritten = found.problem === undefined || anyway;
  if (isWritten) {
    await writeModelFile(file, model()).catch((error) => {
      throw new CommandFailed(`${file}: ${whyUnwritten(error)}`);
    });
  }
  const facts = { ...found, before: replaced && strongest(replaced), written: isWritten ? file : undefined };
  process.stdout.write(json ? `${JSON.stringify(facts, null, 2)}\n` : report(facts));
  if (!isWritten) process.exitCode = 1;
}

/** Reads a file of marked messages. */
async function gatherLines(name: string, collector: LessonCollector): Promise<void> {
  const text = await readTextFile(name);
  if (!text.ok) throw new CommandFailed(`${name}: ${text.error}`);
  let leftOut = 0;
  const tell = (place: string, why: string) => {
    leftOut += 1;
    if (leftOut <= mostListed) process.stderr.write(`${name}, ${place}: ${why}; left out\n`);
    process.exitCode = 1;
  };
  for (const one of markedLines(text.value.text, { name, now: Date.now(), tell })) collector.add(one);
  if (leftOut > mostListed) process.stderr.write(`${name}: ${leftOut - mostListed} more left out\n`);
}

async function gather(
  options: LearnOptions,
  collector: LessonCollector,
  configOption: string | undefined,
): Promise<void> {
  const { archive, verdicts, identity, messages } = options;
  if (archive === undefined && messages === undefined)
    throw new CommandFailed('give the marked messages with --archive or --messages');
  if (messages !== undefined) await gatherLines(messages, collector);
  if (archive === undefined) return;
  // The model that the config names may be the one to be written, or it may be damaged.
  const config = await loadConfig(configOption, inspectWithoutLists);
  const marks = await loadVerdicts({ archive, verdicts });
  await withArchive({ from: archive, identity }, async (reading, tell) => {
    const seen = new Set<string>();
    for await (const { entry, document } of readAll(reading, options, tell)) {
      const given = marks.get(entry.id);
      const form = config.forms.get(entry.form);
      if (!given || seen.has(entry.id)) continue;
      seen.add(entry.id);
      const texts = textsToLearn(document, form?.fields);
      const [isSpam, at] = [given.verdict === 'spam', entry.receivedAt];
      collector.add({ id: entry.id, texts, isSpam, at, markedAt: given.at || at });
    }
  });
}

/** Reads no list or model, since a damaged one does not matter here. */
const inspectWithoutLists: typeof inspectConfig = (text, source) => {
  const { lists, models } = filesNamedIn(text);
  return inspectConfig(text, {
    ...source,
    readSibling: async (path) => {
      if (models.has(path)) return ok(emptyModel());
      return lists.has(path) ? ok('') : source.readSibling(path);
    },
  });
};

const emptyModel = (): string =>
  writeModel({
    check: '0'.repeat(16),
    spam: 0,
    ham: 0,
    people: 0,
    reached: 0,
    caught: 0,
    tried: 0,
    madeAt: 0,
    steps: [],
    bias: 0,
    scale: 1,
    weights: new Int8Array(buckets),
  });

const strongest = ({ steps }: Pick<Model, 'steps'>): number => steps.at(-1)?.strength ?? 0;

interface Facts extends Omit<Learned, 'model'> {
  /** The largest share of its weight at which the current model counts. */
  readonly before: number | undefined;
  readonly written: string | undefined;
}

const caughtWords = ({ caught, from, to }: Caught, { spam }: Trial): string =>
  `${caught} of ${spam} caught (${spam === 0 ? '0%' : percent(caught / spam)}; 95% confidence: ${percent(from)} to ${percent(to)})`;

function report({
  spam,
  ham,
  copies,
  contradictions,
  empty,
  trial,
  before,
  problem,
  written,
}: Facts): string {
  const { people, wrong } = trial;
  const lines = [
    `${spam} different messages marked as spam, and ${ham} as not spam; ${count(copies, 'copy', 'copies')} left out`,
  ];
  if (contradictions.length > 0)
    lines.push(
      `  ${count(contradictions.length, 'copy has', 'copies have')} a different mark from the message marked first, whose mark counts: ${listed(contradictions)}`,
    );
  if (empty > 0) lines.push(`  ${count(empty, 'message')} without text left out`);
  if (trial.spam > 0 && people > 0) lines.push(...trialWords(trial));
  if (problem === undefined && before !== undefined && before > strongest(trial) + 0.1)
    lines.push(
      `  the current model adds up to ${percent(before)} of its weight, which is too much if the messages below are marked correctly`,
    );
  if (people < enoughPeople)
    lines.push(
      `  until ${enoughPeople} newer messages from people have been tested, the model alone cannot reach tag or another action`,
    );
  if (wrong.length > 0) {
    lines.push(`the model would have misjudged ${count(wrong.length, 'message')}:`);
    for (const { id, isSpam } of wrong.slice(0, mostListed))
      lines.push(`  ${printable(id)}: ${isSpam ? 'spam without points' : 'a person with points'}`);
    if (wrong.length > mostListed) lines.push(`  and ${wrong.length - mostListed} more`);
  }
  if (problem !== undefined) lines.push(`${written ? 'written anyway' : 'not written'}: ${problem}`);
  if (written !== undefined) lines.push(`written: ${printable(written)}`);
  return `${lines.join('\n')}\n`;
}

function trialWords(trial: Trial): readonly string[] {
  const { spam, people, atNone, atHalf, reached } = trial;
  const lines = [
    `each newer message was tested with a model of older messages: ${spam} spam, and ${people} from people`,
    `  without false alarms: ${caughtWords(atNone, trial)}`,
  ];
  if (atHalf.falseAlarms > 0)
    lines.push(`  with ${count(atHalf.falseAlarms, 'false alarm')} (0.5%): ${caughtWords(atHalf, trial)}`);
  const others = percent(mostOfOthers(reached.people, people));
  lines.push(
    `  points: the model adds up to ${percent(strongest(trial))} of its weight, to ${reached.spam} of ${spam} spam messages and ${reached.people} of ${people} from people; to at most ${others} of other messages from people (95% confidence)`,
  );
  return lines;
}

const listed = (ids: readonly string[]): string => {
  const more = ids.length > mostListed ? ` and ${ids.length - mostListed} more` : '';
  return `${ids.slice(0, mostListed).map(printable).join(', ')}${more}`;
};

interface MarkOptions extends VerdictOptions {
  readonly form?: string;
}

/** Stores the mark of a submission. Sealed submissions need no key: their path contains their id. */
async function markSubmission(
  id: string,
  verdict: Verdict,
  { form, ...options }: MarkOptions,
): Promise<void> {
  const { archive } = options;
  const file = verdictFile(options);
  if (file === undefined)
    throw new CommandFailed('give a file for the marks of a bucket: --verdicts verdicts.jsonl');
  await withArchive({ from: archive }, async (reading) => {
    const [entry] = await findEntries(reading, archive, id, form);
    await addVerdict(file, verdictLine(id, verdict, Date.now()));
    process.stdout.write(`${printable(`${id}  ${entry.form}`)}  ${verdict}\n`);
  });
}
