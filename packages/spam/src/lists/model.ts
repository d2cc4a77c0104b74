/** A model that tells spam from what people write. */

import { buckets, featuresOf, type Seeds } from './features.ts';
import type { ListBuilder } from './read_list.ts';

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
    '# Written by relay rules learn from marked messages. Contains none of their text.',
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

/** Reads a model in lines, as `writeModel` writes them. */

const mostSteps = 64;
const again = 'write a new one with relay rules learn';

const count = String.raw`\d{1,15}`;
/** So small that no sum of them is infinite. */
const real = String.raw`-?\d{1,15}(?:\.\d{1,15})?(?:e(?:\+\d|-\d{1,2}))?`;
/** The values that follow the name of each line. */
const shapes: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    format: count,
    key: String.raw`[\da-f]{16}`,
    marks: `${count} ${count}`,
    people: `${count} ${count}`,
    caught: `${count} ${count}`,
    made: count,
    step: `${real} ${real}`,
    bias: real,
    scale: real,
    weights: String.raw`[A-Za-z\d+/]+={0,2}`,
  }).map(([name, shape]) => [name, new RegExp(`^${name} ${shape}$`)]),
);

/** Reads one. Missing lines are reported at its end. */
export function buildModel(): ListBuilder<'model'> {
  const values = new Map<string, readonly string[]>();
  const steps: Step[] = [];
  let packed = '';
  const read: { model?: Model } = {};

  /** Whether the line could be taken. */
  function take(entry: string): boolean {
    const [name = '', ...written] = entry.split(' ');
    if (!shapes.get(name)?.test(entry)) return false;
    if (name === 'weights') {
      const hasRoom = !packed.endsWith('=') && packed.length < 2 * buckets;
      packed += written.join('');
      return hasRoom;
    }
    if (name === 'step') {
      const [from = 0, strength = 0] = written.map(Number);
      const last = steps.at(-1) ?? { from, strength: 0 };
      steps.push({ from, strength });
      return steps.length <= mostSteps && from >= last.from && strength >= last.strength && strength <= 1;
    }
    if (values.has(name) || (name === 'scale' && Number(written[0]) <= 0)) return false;
    values.set(name, written);
    return true;
  }

  return {
    add: (entry) =>
      take(entry)
        ? undefined
        : { code: 'model_line_damaged', message: `this is no line of a model here; ${again}` },
    end: () => {
      const lacks = (what: string) => ({
        code: 'model_lacks',
        message: `this is no whole model: it has ${what}; ${again}`,
      });
      const of = (name: string, place = 0) => Number(values.get(name)?.[place]);
      for (const name of shapes.keys())
        if (name !== 'step' && name !== 'weights' && !values.has(name)) return lacks(`no line \`${name}\``);
      if (of('format') !== 1)
        return {
          code: 'model_of_other_format',
          message: `this model has format ${of('format')}, and this relay reads format 1; ${again}`,
        };
      const weights = Buffer.from(packed, 'base64');
      if (weights.length !== buckets) return lacks(`${weights.length} of ${buckets} weights`);
      read.model = {
        check: values.get('key')?.[0] ?? '',
        spam: of('marks'),
        ham: of('marks', 1),
        people: of('people'),
        reached: of('people', 1),
        caught: of('caught'),
        tried: of('caught', 1),
        madeAt: of('made'),
        steps,
        bias: of('bias'),
        scale: of('scale'),
        weights: new Int8Array(weights.buffer, weights.byteOffset, weights.length),
      };
      return undefined;
    },
    list: {
      get model() {
        return read.model;
      },
    },
  };
}
