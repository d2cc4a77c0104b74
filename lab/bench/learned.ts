/**
 * The model of `rules learn`: `npx tsx lab/bench/learned.ts [messages]`. How long a message of 10,000 characters takes to be weighed,
 * and how long and how much memory training on 100,000 messages takes, with their reading.
 */
import { whyKeep } from '../../packages/learning/src/compare.ts';
import { lessonsOf } from '../../packages/learning/src/features.ts';
import type { Marked } from '../../packages/learning/src/marked.ts';
import { train } from '../../packages/learning/src/train.ts';
import { judged, scoredByOlder } from '../../packages/learning/src/try_out.ts';
import { seedsOf } from '../../packages/relay/src/schema/lists/features.ts';
import { logOdds } from '../../packages/relay/src/schema/lists/model.ts';
import { randomFrom, wordOf } from './inbox_documents.ts';
import { middle } from './process.ts';

const seeds = seedsOf('a key that nobody knows');
const random = randomFrom(32);
/** Spam has words of its own beside those of all. */
const textOf = (words: number, isSpam: boolean) =>
  Array.from({ length: words }, () =>
    isSpam && random() < 0.2 ? `s${wordOf(random)}` : wordOf(random),
  ).join(' ');

const most = Number(process.argv[2] ?? 100_000);
let characters = 0;
/** In milliseconds: how long making texts took, which nobody waits for elsewhere. */
let making = 0;
/** As they are read from a file: nobody keeps their texts. */
function* messages(): Generator<Marked> {
  for (let nth = 0; nth < most; nth += 1) {
    const isSpam = nth % 2 === 0;
    const from = performance.now();
    const text = textOf(60, isSpam);
    making += performance.now() - from;
    characters += text.length / most;
    yield { id: String(nth), texts: [text], isSpam, at: nth };
  }
}
const before = process.memoryUsage().rss;
const start = performance.now();
const { lessons } = lessonsOf(messages(), seeds);
const newer = scoredByOlder(lessons);
const trial = judged(newer);
const model = train(lessons);
const seconds = (performance.now() - start - making) / 1_000;
const counts = {
  check: seeds.check,
  spam: 0,
  ham: 0,
  people: 0,
  reached: 0,
  tried: 0,
  caught: 0,
  steps: trial.steps,
};
whyKeep({ ...model, ...counts, madeAt: most * 0.9 }, lessons, newer);
const allSeconds = (performance.now() - start - making) / 1_000;
const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
console.log(
  `${most} messages of ${Math.round(characters)} characters: tried and trained in ${seconds.toFixed(1)} s, and compared with the model in use after ${allSeconds.toFixed(1)} s, ${mb(process.resourceUsage().maxRSS * 1_024)} at most, ${mb(before)} before; ${trial.atNone.caught} of ${trial.spam} caught`,
);

const text = textOf(3_000, true).slice(0, 10_000);
for (const [name, one] of [
  ['ASCII', text],
  ['with accents', text.replaceAll('a', 'ä')],
] as const) {
  const took: number[] = [];
  for (let nth = 0; nth < 3_000; nth += 1) {
    const from = performance.now();
    logOdds(model, [one], seeds);
    took.push(performance.now() - from);
  }
  console.log(`a message of ${one.length} characters, ${name}: ${middle(took).toFixed(3)} ms`);
}
