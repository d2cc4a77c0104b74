/** A model that tells spam from what people write. */
import { featuresOf, type Seeds } from './features.ts';

/** From the log-odds on, how much of the weight counts. */
export interface Step {
  readonly from: number;
  readonly strength: number;
}

export interface Model {
  /** Identifies the key whose numbers it has. */
  readonly check: string;
  /** How many marks it learned from. */
  readonly spam: number;
  readonly ham: number;
  /** How many newer messages of people it was tried on, and how many of these got points. */
  readonly people: number;
  readonly reached: number;
  /** The same of newer spams. */
  readonly tried: number;
  readonly caught: number;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** In rising order. */
  readonly steps: readonly Step[];
  readonly bias: number;
  /** The value of one unit of a weight. */
  readonly scale: number;
  readonly weights: Int8Array;
}

/** As text, at most 24 KB. */
export function writeModel(model: Model): string {
  const { check, spam, ham, people, reached, tried, caught, madeAt, steps, bias, scale, weights } = model;
  const packed = Buffer.from(weights.buffer, weights.byteOffset, weights.length).toString('base64');
  const lines = packed.match(/.{1,240}/g) ?? [];
  return [
    '# What relay rules learn found in marked messages. It holds none of their text.',
    'format 1',
    `key ${check}`,
    `marks ${spam} ${ham}`,
    `people ${people} ${reached}`,
    `caught ${caught} ${tried}`,
    `made ${madeAt}`,
    ...steps.map(({ from, strength }) => `step ${from.toFixed(4)} ${strength.toFixed(3)}`),
    `bias ${bias.toFixed(6)}`,
    `scale ${scale.toExponential(6)}`,
    ...lines.map((line) => `weights ${line}`),
    '',
  ].join('\n');
}

type Weights = Pick<Model, 'weights' | 'scale' | 'bias'>;

export const logOdds = (model: Weights, texts: readonly string[], seeds: Seeds): number =>
  oddsOf(model, featuresOf(texts, seeds));

/** @param features Of texts, each once. */
export function oddsOf({ weights, scale, bias }: Weights, features: Uint16Array): number {
  let sum = 0;
  for (const feature of features) sum += weights[feature] as number;
  const odds = bias + sum * scale * partOf(features);
  return features.length < fewFeatures ? Math.min(0, odds) : odds;
}

/** About three words: so few are no proof of spam, whichever they are. */
const fewFeatures = 20;

/** A message of few words says little: so many features are about twelve words. */
const leastFeatures = 64;

/** How much of a weight one feature of these counts. */
export const partOf = ({ length }: Uint16Array): number => 1 / Math.sqrt(Math.max(leastFeatures, length));

export const strengthOf = ({ steps }: Pick<Model, 'steps'>, odds: number): number =>
  steps.findLast(({ from }) => odds >= from)?.strength ?? 0;
