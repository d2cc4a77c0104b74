/** A model that tells spam from what people write. */

import { createHmac } from 'node:crypto';
import { unexpanded } from '../words.ts';
import type { ListBuilder } from './read_list.ts';

/** The number of feature buckets. Several features share one. */
export const buckets = 16_384;

/** The rest of a longer text is ignored. */
export const mostCharacters = 20_000;

/** Keep the buckets of words secret. */
export interface Seeds {
  readonly words: number;
  readonly runs: number;
  /** Distinguishes this key's models from those of other keys. 16 hexadecimal digits. */
  readonly check: string;
}

export function seedsOf(key: string): Seeds {
  const digest = createHmac('sha256', key).update('form-relay model').digest();
  return {
    words: digest.readInt32LE(0),
    runs: digest.readInt32LE(4),
    check: digest.toString('hex', 8, 16),
  };
}

const prime = 0x01000193;

/** The low bits of a product depend on few input bits. */
const bucketOf = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) & (buckets - 1);
};

/**
 * The features of texts as bucket numbers, each once: words, and runs of four characters. Ignores letter case
 * and width, and treats all digits alike.
 */
export function featuresOf(texts: readonly string[], seeds: Seeds): Uint16Array {
  const isFound = new Uint8Array(buckets);
  const found: number[] = [];
  for (const text of texts)
    read(text, seeds, (hash) => {
      const bucket = bucketOf(hash);
      if (isFound[bucket] === 0) found.push(bucket);
      isFound[bucket] = 1;
    });
  return Uint16Array.from(found);
}

function read(text: string, { words, runs }: Seeds, add: (hash: number) => void): void {
  const cut = text.slice(0, mostCharacters);
  const lower = (
    /[^\0-\x7f]/.test(cut) ? unexpanded(cut).normalize('NFKC').slice(0, mostCharacters) : cut
  ).toLowerCase();
  const { length } = lower;
  let thirdLast = 0;
  let beforeLast = 0;
  let last = space;
  let word = words;
  for (let at = 0; at <= length; at += 1) {
    const code = at < length ? kindOf(lower.charCodeAt(at)) : space;
    // A run of digits, or of separators, counts as one character.
    if (code === last && (code === digit || code === space)) continue;
    if (isInWord(code)) {
      word = Math.imul(word ^ code, prime);
    } else if (word !== words) {
      add(word);
      word = words;
    }
    if (thirdLast !== 0)
      add([code, last, beforeLast, thirdLast].reduce((run, one) => Math.imul(run ^ one, prime), runs));
    thirdLast = beforeLast;
    beforeLast = last;
    last = code;
  }
}

const space = 0x20;
const digit = 0x30;

/** Keeps letters and ASCII punctuation, and maps all digits to one digit and all separators to a space. */
function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return digit;
  const isSpace =
    code <= space ||
    code === 0x7f ||
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x206f) ||
    (code >= 0x3000 && code <= 0x303f);
  return isSpace ? space : code;
}

const isInWord = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || code === digit || code >= 0xc0;

/** The share of the signal's weight that applies from these log-odds up. */
export interface Step {
  readonly from: number;
  readonly strength: number;
}

export interface Model {
  /** Identifies the key that its bucket numbers depend on. */
  readonly check: string;
  /** The number of spam messages in the training data. */
  readonly spam: number;
  readonly ham: number;
  /** The number of newer genuine messages that it was tested on, and how many of them got points. */
  readonly people: number;
  readonly reached: number;
  /** The same for newer spam. */
  readonly tried: number;
  readonly caught: number;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** In ascending order. */
  readonly steps: readonly Step[];
  readonly bias: number;
  /** The value of one unit of a weight. */
  readonly scale: number;
  readonly weights: Int8Array;
}

/** The model as text, at most 24 KB. */
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

/** @param features The features of the texts, each once. */
export function oddsOf({ weights, scale, bias }: Weights, features: Uint16Array): number {
  let sum = 0;
  for (const feature of features) sum += weights[feature] as number;
  const odds = bias + sum * scale * partOf(features);
  return features.length < fewFeatures ? Math.min(0, odds) : odds;
}

/** About three words. So few words prove no spam, whichever they are. */
const fewFeatures = 20;

/** About twelve words. Shorter messages say little. */
const leastFeatures = 64;

/** How much of its weight each of these features counts. */
export const partOf = ({ length }: Uint16Array): number => 1 / Math.sqrt(Math.max(leastFeatures, length));

export const strengthOf = ({ steps }: Pick<Model, 'steps'>, odds: number): number =>
  steps.findLast(({ from }) => odds >= from)?.strength ?? 0;

/** Reads a model in lines, as `writeModel` writes them. */

const mostSteps = 64;
const again = 'write a new one with relay rules learn';

const count = String.raw`\d{1,15}`;
/** Small enough that no sum overflows to infinity. */
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

/** Builds a model from its lines. Reports missing lines at the end. */
export function buildModel(): ListBuilder<'model'> {
  const values = new Map<string, readonly string[]>();
  const steps: Step[] = [];
  let packed = '';
  const read: { model?: Model } = {};

  /** Returns whether the line was accepted. */
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
        : { code: 'model_line_damaged', message: `this line is not valid in a model; ${again}` },
    end: () => {
      const lacks = (what: string) => ({
        code: 'model_lacks',
        message: `this model is incomplete: it has ${what}; ${again}`,
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
