/** Logistic regression over hashed features, by stochastic gradient descent (AdaGrad; Duchi, Hazan and Singer, 2011). */
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Values } from '@form-relay/base/values';
import type { Form } from '@form-relay/core/form';
import type { Services } from '@form-relay/core/services';
import {
  buckets,
  featuresOf,
  type Model,
  mostCharacters,
  partOf,
  type Seeds,
  seedsOf,
  writeModel,
} from '@form-relay/spam/lists/model';
import { readList } from '@form-relay/spam/lists/read_list';
import type {} from '@form-relay/spam/score/index';
import { learnedKey } from '@form-relay/spam/signals/lists';
import { freeTexts } from '@form-relay/spam/signals/typed';
import type { Marked } from './learn.ts';

/** A marked message in the form in which the model learns it. */
export interface Lesson {
  readonly id: string;
  readonly isSpam: boolean;
  /** Both in milliseconds since the epoch. */
  readonly at: number;
  readonly markedAt: number;
  readonly features: Uint16Array;
}

export interface Lessons {
  /** Oldest first. */
  readonly lessons: readonly Lesson[];
  /** How many messages were skipped because they are near copies of an earlier one. */
  readonly copies: number;
  /** Copies whose mark contradicts the earlier one. */
  readonly contradictions: readonly string[];
  /** How many messages were skipped because they have no text. */
  readonly empty: number;
}

/** Keeps no text, so 100,000 messages of 330 characters take about 100 MB. */
export class LessonCollector {
  readonly #all: Lesson[] = [];
  #empty = 0;

  constructor(private readonly seeds: Seeds) {}

  add({ id, texts, isSpam, at, markedAt = at }: Marked): void {
    const features = featuresOf(texts, this.seeds);
    if (features.length === 0) this.#empty += 1;
    else this.#all.push({ id, isSpam, at, markedAt, features });
  }

  lessons(): Lessons {
    return { ...withoutCopies(this.#all), empty: this.#empty };
  }
}

function withoutCopies(all: readonly Lesson[]): Omit<Lessons, 'empty'> {
  const originalOf = copyFinder();
  const lessons: Lesson[] = [];
  const contradictions: string[] = [];
  for (const lesson of all.toSorted((one, other) => one.markedAt - other.markedAt)) {
    const original = originalOf(lesson);
    if (!original) lessons.push(lesson);
    else if (original.isSpam !== lesson.isSpam) contradictions.push(lesson.id);
  }
  const copies = all.length - lessons.length;
  return { lessons: lessons.sort((one, other) => one.at - other.at), copies, contradictions };
}

/**
 * Groups of hashes (MinHash; Broder, 1997). Texts that share nine tenths of their features nearly always have
 * a group in common.
 */
const bands = 2;
const marksOfBand = 4;
/** Two texts are copies if they share at least this part of all their features. */
const leastShared = 0.7;

/**
 * Finds an earlier message of which this one is a near copy, however that was marked. So a campaign counts once, and
 * later marks of its copies cannot reverse the first. Keeps references to the features that it receives.
 */
function copyFinder(): (lesson: Lesson) => Lesson | undefined {
  const seen = new Map<number, Lesson>();
  const least = new Int32Array(bands * marksOfBand);
  const isOwn = new Uint8Array(buckets);
  const areCopies = (one: Uint16Array, other: Uint16Array) => {
    let shared = 0;
    for (const feature of one) isOwn[feature] = 1;
    for (const feature of other) shared += isOwn[feature] as number;
    for (const feature of one) isOwn[feature] = 0;
    return shared >= leastShared * (one.length + other.length - shared);
  };
  return (lesson) => {
    const { features } = lesson;
    least.fill(0x7fffffff);
    for (const feature of features) {
      for (let mark = 0; mark < least.length; mark += 1) {
        const mixed = Math.imul(feature ^ (mark * 0x9e3779b1), 0x85ebca6b + mark * 2);
        const place = (mixed ^ (mixed >>> 15)) & 0x7fffffff;
        if (place < (least[mark] as number)) least[mark] = place;
      }
    }
    const keys = Array.from({ length: bands }, (_, band) => {
      let [high, low] = [0, band];
      for (let mark = band * marksOfBand; mark < (band + 1) * marksOfBand; mark += 1) {
        high = Math.imul(high ^ (least[mark] as number), 0x01000193);
        low = Math.imul(low ^ (least[mark] as number), 0x5bd1e995);
      }
      return (high >>> 0) * 0x200000 + ((low >>> 0) & 0x1fffff);
    });
    const candidates = new Set(keys.flatMap((key) => seen.get(key) ?? []));
    const original = [...candidates].find((one) => areCopies(one.features, features));
    if (!original) for (const key of keys) seen.set(key, lesson);
    return original;
  };
}

interface Trained {
  readonly weights: Int8Array;
  /** The value of one unit of a weight. */
  readonly scale: number;
  readonly bias: number;
}

const rounds = 8;
const rate = 0.7;

/** Gives spam and wanted messages the same total weight, however many there are. The same messages always give the same model. */
export function train(lessons: readonly Pick<Lesson, 'isSpam' | 'features'>[]): Trained {
  const weights = new Float32Array(buckets);
  const slopes = new Float32Array(buckets).fill(1e-6);
  let bias = 0;
  let biasSlope = 1e-6;
  const count = lessons.length;
  const spam = lessons.filter(({ isSpam }) => isSpam).length;
  const weightOf = { spam: count / (2 * Math.max(1, spam)), ham: count / (2 * Math.max(1, count - spam)) };
  const order = Uint32Array.from({ length: count }, (_, nth) => nth);
  for (let round = 0; round < rounds; round += 1) {
    shuffle(order, round + 1);
    for (const nth of order) {
      const { features: own, isSpam } = lessons[nth] as Pick<Lesson, 'isSpam' | 'features'>;
      const part = partOf(own);
      let odds = bias;
      for (const bucket of own) odds += (weights[bucket] as number) * part;
      const error = (1 / (1 + Math.exp(-odds)) - (isSpam ? 1 : 0)) * (isSpam ? weightOf.spam : weightOf.ham);
      const slope = error * part;
      for (const bucket of own) {
        slopes[bucket] = (slopes[bucket] as number) + slope * slope;
        weights[bucket] = (weights[bucket] as number) - (rate * slope) / Math.sqrt(slopes[bucket] as number);
      }
      biasSlope += error * error;
      bias -= (rate * error) / Math.sqrt(biasSlope);
    }
  }
  return quantized(weights, bias);
}

function quantized(weights: Float32Array, bias: number): Trained {
  const largest = weights.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  const scale = largest === 0 ? 1 : largest / 127;
  return { weights: Int8Array.from(weights, (one) => Math.round(one / scale)), scale, bias };
}

/** A Fisher-Yates shuffle with repeatable pseudorandom numbers (Lehmer, 1951). */
function shuffle(order: Uint32Array, seed: number): void {
  let state = seed * 48_271;
  for (let at = order.length - 1; at > 0; at -= 1) {
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (at + 1);
    const one = order[at] as number;
    order[at] = order[other] as number;
    order[other] = one;
  }
}

/** The model in a file; `undefined` if the file is missing or unreadable. */
export async function readModelFile(file: string): Promise<Model | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = await readList('model', text);
  return found.ok ? found.value.list.model : undefined;
}

/**
 * Replaces the file atomically, so that a relay always reads a whole model, even if several processes write.
 * Rejects with a system error.
 */
export async function writeModelFile(file: string, model: Model): Promise<void> {
  const next = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(next, writeModel(model), { mode: 0o600 });
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    throw error;
  }
}

export interface SpokenWords {
  /** Spelled as visitors typed them, the words with the greatest weight first. */
  readonly spam: readonly string[];
  readonly ham: readonly string[];
}

/**
 * The words to which the form's current model gives the most weight. Visitors wrote these words, so they must
 * not reach a log. `undefined`: the form has no model, or its model has another key.
 */
export function learnedWords(
  form: Form,
  values: Values,
  { env }: Pick<Services, 'env'>,
): SpokenWords | undefined {
  const model = form.provided.get('doubt')?.signals.find((one) => one.model)?.model?.read;
  const key = env(learnedKey) ?? '';
  if (!model || key === '') return undefined;
  const seeds = seedsOf(key);
  if (seeds.check !== model.check) return undefined;
  return spokenWords(model, freeTexts({ fields: form.fields, values }), seeds);
}

const mostForSpam = 8;
const mostForHam = 4;
/** Longer words are sentences of a script without spaces. Models split such sentences into pieces of eight characters. */
const longestWord = 32;

/** The characters that `featuresOf` treats as letters and digits. */
const wordLike = /[\dA-Za-z\u00c0-\u1fff\u2070-\u2fff\u3040-\uffff]+/g;

/** The weight of a word: its own, plus those of its character n-grams, if the text contains them. */
export function spokenWords({ weights }: Model, texts: readonly string[], seeds: Seeds): SpokenWords {
  const ofText = new Set(featuresOf(texts, seeds));
  const found = new Map<string, { readonly word: string; readonly weight: number }>();
  for (const word of texts.flatMap(wordsIn)) {
    const key = word.toLowerCase();
    if (found.has(key)) continue;
    let weight = 0;
    for (const feature of featuresOf([word], seeds))
      if (ofText.has(feature)) weight += weights[feature] as number;
    found.set(key, { word, weight });
  }
  const inOrder = [...found.values()].toSorted((one, other) => other.weight - one.weight);
  const wordsOf = (some: typeof inOrder, sign: number) =>
    some.filter(({ weight }) => weight * sign > 0).map(({ word }) => word);
  return {
    spam: wordsOf(inOrder, 1).slice(0, mostForSpam),
    ham: wordsOf(inOrder.toReversed(), -1).slice(0, mostForHam),
  };
}

const wordsIn = (text: string): readonly string[] =>
  (text.slice(0, mostCharacters).match(wordLike) ?? []).flatMap((word) =>
    word.length > longestWord ? (word.match(/.{1,8}/gsu) ?? []) : [word],
  );
