import { type Condition, inWords } from '../base/condition.ts';
import { doubtNames, waitingName } from '../base/doubt.ts';
import type { Payload } from '../base/job.ts';
import { type Values, withoutEmpty } from '../base/values.ts';
import type { Scope, Template } from '../schema/template/render.ts';

/** How an output's keys get their values, worked out once when the config loads. */
export interface PayloadPlan {
  readonly key: string;
  readonly fieldName: string | undefined;
  readonly fixed: Template | undefined;
}

interface Mapped {
  readonly mapping?: '*' | ReadonlyMap<string, string> | undefined;
  readonly static?: ReadonlyMap<string, Template> | undefined;
}

export function planPayload(
  { mapping, static: fixed }: Mapped,
  declaredNames: readonly string[],
): readonly PayloadPlan[] {
  const mapped = mapping === '*' ? new Map(declaredNames.map((name) => [name, name])) : mapping;
  const keys = new Set([...(mapped?.keys() ?? []), ...(fixed?.keys() ?? [])]);
  return [...keys]
    .sort(byCodePoint)
    .map((key) => ({ key, fieldName: mapped?.get(key), fixed: fixed?.get(key) }));
}

/**
 * SPEC: Rules for `mapping` and `static`. A static value overwrites a mapped one; empty values are left out of both,
 * so a static value that renders empty overwrites nothing.
 */
export function buildPayload(
  plan: readonly PayloadPlan[],
  values: Values,
  scope: Scope,
  doubt?: string,
  isWaiting?: boolean,
): Payload {
  const payload: [string, readonly string[]][] = [];
  for (const { key, fieldName, fixed } of plan) {
    const text = fixed?.render(scope) ?? '';
    if (text !== '') {
      payload.push([key, [text]]);
    } else if (fieldName !== undefined) {
      const filled = withoutEmpty(values.get(fieldName) ?? []);
      if (filled.length > 0) payload.push([key, filled]);
    }
  }
  // A doubted submission is marked, unless the output has a key of this name.
  if (doubt !== undefined && plan.length > 0 && !plan.some(({ key }) => key === doubtNames.tag)) {
    payload.push([doubtNames.tag, [doubt]]);
    payload.sort(([one], [other]) => byCodePoint(one, other));
  }
  // So is one that is only on the waiting list.
  if (isWaiting && plan.length > 0 && !plan.some(({ key }) => key === waitingName)) {
    payload.push([waitingName, ['1']]);
    payload.sort(([one], [other]) => byCodePoint(one, other));
  }
  return payload;
}

/** The order of UTF-8 bytes, which UTF-16 order is not for characters beyond U+FFFF. No two keys are the same. */
function byCodePoint(a: string, b: string): number {
  if (/[\ud800-\udfff]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/**
 * Whether an output's `when` holds of the values that outputs may have. A field that is not there is empty, whatever the
 * reason, so `is_not` and `filled: false` hold for it: a lead must rather arrive.
 */
export const applies = (when: Condition, values: Values): boolean => when.holds(heldBy(when, values));

/** The reason why a `when` does not hold, such as `kind is not sales or support`. */
export function whyNot(when: Condition, values: Values): string {
  const held = heldBy(when, values);
  const excluded = when.values.filter((value) => held.includes(value));
  return inWords({
    field: when.field,
    test: opposites[when.test],
    values: when.test === 'is_not' ? excluded : when.values,
  });
}

const opposites = { is: 'is_not', is_not: 'is', filled: 'empty', empty: 'filled' } as const;

/** Empty text stands for no value, as in `is_not: ''`. */
function heldBy({ field }: Condition, values: Values): readonly string[] {
  const filled = withoutEmpty(values.get(field) ?? []);
  return filled.length > 0 ? filled : nothing;
}

const nothing: readonly string[] = [''];

/** Whether it gets what `spam.doubt` set aside, or what it did not. */
export const takesAside = (
  { aside }: { readonly aside: 'never' | 'only' | 'also' },
  isAside: boolean,
): boolean => aside === 'also' || (aside === 'only') === isAside;

/** Whether it gets what is on the waiting list, or what is not. */
export const takesWaiting = (
  { waiting }: { readonly waiting: 'never' | 'only' | 'also' },
  isWaiting: boolean,
): boolean => waiting === 'also' || (waiting === 'only') === isWaiting;

/** A submission that is doubted, or on the waiting list, goes to one set of outputs or the other. */
export const notForIt = 'its `aside` or `waiting` leaves this one to other outputs';
