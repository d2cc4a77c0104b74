/** Reads a model in lines, as `writeModel` writes them. */
import { buckets } from './features.ts';
import type { ListBuilder } from './list.ts';
import type { Model, Step } from './model.ts';

const mostSteps = 64;
const again = 'let relay rules learn write it again';

/** Reads one. What is missing is told at its end. */
export function buildModel(): ListBuilder<'model'> {
  const numbers = new Map<string, readonly number[]>();
  const steps: Step[] = [];
  let check = '';
  let packed = '';
  const read: { model?: Model } = {};
  const damaged = { code: 'model_line_damaged', message: `this is no line of a model here; ${again}` };
  return {
    add: (entry) => {
      const [name = '', ...values] = entry.split(' ');
      const [value = ''] = values;
      if (isMore(packed) && /^weights [A-Za-z\d+/]+={0,2}$/.test(entry)) packed += value;
      else if (check === '' && /^key [\da-f]{16}$/.test(entry)) check = value;
      else {
        const said = values.map(numberIn);
        const line = lines.get(name);
        if (line?.length !== said.length || numbers.has(name)) return damaged;
        if (!line.every((is, nth) => is(said[nth]))) return damaged;
        if (name !== 'step') numbers.set(name, said);
        else {
          const [from = 0, strength = 0] = said;
          const last = steps.at(-1) ?? { from, strength };
          if (steps.length === mostSteps || from < last.from || strength < last.strength) return damaged;
          steps.push({ from, strength });
        }
      }
      return undefined;
    },
    end: () => {
      const of = (name: string, place = 0) => numbers.get(name)?.[place] ?? 0;
      const lacking = [...lines.keys()].find((name) => name !== 'step' && !numbers.has(name));
      const name = lacking ?? (check === '' ? 'key' : undefined);
      if (name !== undefined)
        return {
          code: 'model_lacks',
          message: `this is no whole model: it has no line \`${name}\`; ${again}`,
        };
      if (of('format') !== 1)
        return {
          code: 'model_of_other_format',
          message: `this model has format ${of('format')}, and this relay reads format 1; ${again}`,
        };
      const weights = Buffer.from(packed, 'base64');
      if (weights.length !== buckets)
        return {
          code: 'model_lacks',
          message: `this is no whole model: it has ${weights.length} of ${buckets} weights; ${again}`,
        };
      read.model = {
        check,
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

/** Whether weights may follow these, in base64. */
const isMore = (packed: string): boolean => !packed.endsWith('=') && packed.length < 2 * buckets;

/** As `writeModel` writes them: so small that no sum of them is infinite. */
const numberIn = (written: string): number =>
  /^-?\d{1,15}(?:\.\d{1,15})?(?:e(?:\+\d|-\d{1,2}))?$/.test(written) ? Number(written) : Number.NaN;

type Is = (one: number | undefined) => boolean;
const any: Is = Number.isFinite;
const counted: Is = (one = -1) => Number.isSafeInteger(one) && one >= 0;
const share: Is = (one = -1) => one >= 0 && one <= 1;

const lines: ReadonlyMap<string, readonly Is[]> = new Map([
  ['format', [counted]],
  ['marks', [counted, counted]],
  ['people', [counted, counted]],
  ['caught', [counted, counted]],
  ['made', [counted]],
  ['step', [any, share]],
  ['bias', [any]],
  ['scale', [(one = 0) => one > 0]],
]);
