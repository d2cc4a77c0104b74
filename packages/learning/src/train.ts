/** Logistic regression over hashed features, by stochastic gradient descent (AdaGrad; Duchi, Hazan and Singer, 2011). */
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Values } from '@form-relay/base/values';
import type { Form } from '@form-relay/core/form';
import type { Services } from '@form-relay/core/services';
import { buckets, featuresOf, mostCharacters, type Seeds, seedsOf } from '@form-relay/spam/lists/features';
import { type Model, partOf, writeModel } from '@form-relay/spam/lists/model';
import { readList } from '@form-relay/spam/lists/read_list';
import type {} from '@form-relay/spam/score/index';
import { learnedKey } from '@form-relay/spam/signals/lists';
import { freeTexts } from '@form-relay/spam/signals/typed';
import type { Lesson } from './features.ts';

interface Trained {
  readonly weights: Int8Array;
  /** The value of one unit of a weight. */
  readonly scale: number;
  readonly bias: number;
}

const rounds = 8;
const rate = 0.7;

/** Spam and what is none weigh the same in all, however many there are. The same messages make the same model. */
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

/** Fisher and Yates, with numbers that are the same each time (Lehmer, 1951). */
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

/** The model in a file; `undefined` if there is none, or none that can be read. */
export async function readModelFile(file: string): Promise<Model | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = await readList('model', text);
  return found.ok ? found.value.list.model : undefined;
}

/** A relay that reads it meanwhile finds the old one or the new one, whoever else writes it. Rejects with a system error. */
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
  /** As they were typed, the weightiest first. */
  readonly spam: readonly string[];
  readonly ham: readonly string[];
}

/**
 * The words to which the form's model, as it is now, gives most weight. Visitors wrote these words, so they must not
 * reach a log. `undefined`: the form has no model, or one of another key.
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
/** Longer ones are sentences of a script without spaces. Models see such sentences in pieces of eight characters. */
const longestWord = 32;

/** The characters that `featuresOf` treats as letters and digits. */
const wordLike = /[\dA-Za-z\u00c0-\u1fff\u2070-\u2fff\u3040-\uffff]+/g;

/** A word weighs as much as itself, and the runs of characters in it, as far as the text has them. */
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
