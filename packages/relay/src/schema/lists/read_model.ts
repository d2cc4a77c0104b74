/** Reads a model in lines, as `writeModel` writes them. */
import { finding } from '../finding.ts';
import { buckets } from './features.ts';
import type { ListBuilder } from './list.ts';
import type { Model, Step } from './model.ts';

const mostSteps = 64;

/** Reads one. What is missing or too much is told at its end. */
export function buildModel(): ListBuilder<'model'> {
  const numbers = new Map<string, readonly number[]>();
  const steps: Step[] = [];
  let check = '';
  let packed = '';
  const read: { model?: Model } = {};
  const wrong = { finding: finding('model_damaged', []) };
  return {
    add: (entry) => {
      const [name = '', ...values] = entry.split(' ');
      if (name === 'key' && /^[\da-f]{16}$/.test(values[0] ?? '')) check = values[0] ?? '';
      else if (name === 'weights' && /^[A-Za-z\d+/=]+$/.test(values[0] ?? '') && packed.length < buckets * 2)
        packed += values[0];
      else {
        const said = values.map(Number);
        if (said.length !== lengths[name] || !said.every(Number.isFinite)) return wrong;
        const [from = 0, strength = 0] = said;
        if (name !== 'step') numbers.set(name, said);
        else if (steps.length < mostSteps && strength >= 0 && strength <= 1) steps.push({ from, strength });
        else return wrong;
      }
      return undefined;
    },
    end: () => {
      const of = (name: string, place = 0) => numbers.get(name)?.[place] ?? Number.NaN;
      const weights = Buffer.from(packed, 'base64');
      const model: Model = {
        check,
        spam: of('marks'),
        ham: of('marks', 1),
        people: of('people'),
        caught: of('caught'),
        tried: of('caught', 1),
        madeAt: of('made'),
        steps: steps.toSorted((one, other) => one.from - other.from),
        bias: of('bias'),
        scale: of('scale'),
        weights: new Int8Array(weights.buffer, weights.byteOffset, weights.length),
      };
      const { spam, ham, people, caught, tried, madeAt, bias, scale } = model;
      const all = [spam, ham, people, caught, tried, madeAt, bias, scale];
      const isWhole = all.every(Number.isFinite) && check !== '';
      if (of('format') !== 1 || !isWhole || weights.length !== buckets) return wrong;
      read.model = model;
      return undefined;
    },
    list: {
      get model() {
        return read.model;
      },
    },
  };
}

/** How many numbers stand in each line. */
const lengths: Readonly<Record<string, number>> = {
  format: 1,
  marks: 2,
  people: 1,
  caught: 2,
  made: 1,
  step: 2,
  bias: 1,
  scale: 1,
};
