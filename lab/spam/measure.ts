/**
 * How much spam the signals catch, and how many people they would mark, on messages that others collected:
 * `npx tsx lab/spam/measure.ts FILE...`. README.md says which files, and where they come from. Prints tables.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { markedMessages } from '../../packages/cli/src/rules/marked_messages.ts';
import { lessonsOf } from '../../packages/learning/src/features.ts';
import type { Marked } from '../../packages/learning/src/marked.ts';
import { train } from '../../packages/learning/src/train.ts';
import { judged, scoredBy, scoredByOlder, wilson } from '../../packages/learning/src/try_out.ts';
import type { Effects } from '../../packages/relay/src/base/effects.ts';
import { doubt } from '../../packages/relay/src/features/doubt/doubt.ts';
import { type Weighed, weigh } from '../../packages/relay/src/features/doubt/examine.ts';
import { enoughPeople } from '../../packages/relay/src/features/doubt/signals/learned.ts';
import type { SignalWorld } from '../../packages/relay/src/features/doubt/signals/signal.ts';
import { createMemory } from '../../packages/relay/src/memory/memory.ts';
import { seedsOf } from '../../packages/relay/src/schema/lists/features.ts';
import { logOdds, strengthOf } from '../../packages/relay/src/schema/lists/model.ts';
import { contactForm, seenOf } from '../../test/signals/samples.ts';

/** The default of `tag`, in points. */
const tag = 4;
const learnedWeight = 6;
const curve = [30, 50, 100, 200, 500, 1_000];
const older = 0.7;
const seeds = seedsOf('a key for measuring alone');
const dayMs = 86_400_000;

interface Weighted extends Marked {
  readonly weighed: Weighed;
}

/** A set is one file, or `NAME.spam.mbox` and `NAME.ham.mbox`. The oldest message comes first. */
async function readSets(files: readonly string[]): Promise<ReadonlyMap<string, readonly Marked[]>> {
  const sets = new Map<string, Marked[]>();
  for (const file of files) {
    const [, name = '', kind] = /^(.+?)(?:\.(spam|ham))?\.\w+$/.exec(basename(file)) ?? [];
    const areSpam = kind === undefined ? undefined : kind === 'spam';
    const read = await markedMessages(readFileSync(file), {
      name,
      areSpam,
      now: Date.now(),
      tell: () => {},
    });
    sets.set(name, [...(sets.get(name) ?? []), ...read]);
  }
  return new Map([...sets].map(([name, all]) => [name, all.toSorted((one, other) => one.at - other.at)]));
}

const form = await contactForm();
const signals = doubt.of(form)?.signals ?? [];

/** Each message as if it came through a form now, a hundred of them a day. */
async function weighAll(messages: readonly Marked[]): Promise<readonly Weighted[]> {
  let at = Date.UTC(2026, 0, 1);
  const effects = { now: () => at, uuid: () => '', log: () => {} } as unknown as Effects;
  const world = { effects, settings: {}, memory: createMemory(effects, {}) } as SignalWorld;
  const all: Weighted[] = [];
  for (const message of messages) {
    at += dayMs / 100;
    const seen = seenOf(form, { language: 'en', fields: { message: message.texts.join('\n') } });
    all.push({
      ...message,
      weighed: await weigh({ signals, thresholds: [] }, { ...seen, receivedAt: at }, world),
    });
  }
  return all;
}

const share = (count: number, of: number) => (of === 0 ? '–' : `${((100 * count) / of).toFixed(1)} %`);
const row = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);
const table = (head: readonly string[]) => {
  console.log();
  row(head);
  row(head.map(() => '---'));
};

const sets = new Map<string, readonly Weighted[]>();
for (const [name, messages] of await readSets(process.argv.slice(2)))
  sets.set(name, await weighAll(messages));
const split = (all: readonly Weighted[]) => ({
  spam: all.filter(({ isSpam }) => isSpam),
  people: all.filter(({ isSpam }) => !isSpam),
});

console.log('Rules alone, by points');
table(['Messages', 'Kind', 'Number', '3 and more', '4', '5', '8']);
for (const [name, all] of sets) {
  for (const [kind, some] of Object.entries(split(all))) {
    const reached = [3, 4, 5, 8].map((from) => some.filter(({ weighed }) => weighed.score >= from).length);
    row([name, kind, some.length, ...reached.map((count) => `${count} (${share(count, some.length)})`)]);
  }
}

console.log(`\nWithout one signal: spam, and people, that no longer reach ${tag} points`);
table(['Signal', ...sets.keys()]);
for (const { name } of signals) {
  const lost = [...sets.values()].map((all) => {
    const without = ({ weighed: { score, signals } }: Weighted) =>
      score >= tag && score - (signals.find(({ signal }) => signal === name)?.points ?? 0) < tag - 0.01;
    const { spam, people } = split(all.filter(without));
    return people.length > 0 ? `${spam.length}, ${people.length}` : spam.length;
  });
  row([name, ...lost]);
}

console.log(
  `\nLearned from the latest marks of each kind in the older ${100 * older} %, and tried on the newer ${Math.round(100 * (1 - older))} %, without copies`,
);
table([
  'Messages',
  'Marks of each kind',
  'Newer spam, people',
  'Caught without a false alarm',
  'Caught at 0.5 %',
  'Its points reach: spam, people',
  `Rules: spam, people from ${tag}`,
  'Rules and learned',
]);
for (const [name, all] of sets) {
  const weighedOf = new Map(all.map((one) => [one.id, one]));
  const { lessons } = lessonsOf(all, seeds);
  const kinds = [true, false].map((kind) => lessons.filter(({ isSpam }) => isSpam === kind));
  const cut = (some: readonly unknown[]) => Math.floor(some.length * older);
  const newer = kinds.flatMap((some) => some.slice(cut(some)));
  const most = Math.min(...kinds.map(cut));
  for (const marks of curve.filter((count) => count <= most)) {
    const learnFrom = kinds
      .flatMap((some) => some.slice(cut(some) - marks, cut(some)))
      .toSorted((one, other) => one.at - other.at);
    const trained = train(learnFrom);
    const found = judged(scoredBy(trained, newer));
    // As an owner has it: points follow from the marks, without the messages that it is tried on here.
    const { steps, people } = judged(scoredByOlder(learnFrom));
    const tried = newer.flatMap(({ id, isSpam }) => {
      const one = weighedOf.get(id);
      if (!one) return [];
      const most = people < enoughPeople ? tag - 0.1 : Infinity;
      const points = Math.min(
        most,
        learnedWeight * strengthOf({ steps }, logOdds(trained, one.texts, seeds)),
      );
      return [{ isSpam, points, score: one.weighed.score }];
    });
    const counts = (is: (one: (typeof tried)[number]) => boolean) => {
      const spam = tried.filter((one) => one.isSpam && is(one)).length;
      return `${spam} (${share(spam, found.spam)}), ${tried.filter((one) => !one.isSpam && is(one)).length}`;
    };
    const caught = ({ caught }: { caught: number }) => {
      const { from, to } = wilson(caught, found.spam);
      return `${share(caught, found.spam)} (${Math.round(100 * from)} to ${Math.round(100 * to)})`;
    };
    row([
      name,
      marks,
      `${found.spam}, ${found.people}`,
      caught(found.atNone),
      caught(found.atHalf),
      counts(({ points }) => points > 0),
      counts(({ score }) => score >= tag),
      counts(({ score, points }) => Math.round((score + points) * 10) / 10 >= tag),
    ]);
  }
}
