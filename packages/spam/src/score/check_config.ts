/** Mistakes between the signals, `doubt` and outputs of a whole config. */
import type { Diagnostics, TopContext } from '@form-relay/core/index';
import { isMap } from '@form-relay/core/kit';
import { signalsIn } from '../lists/load_lists.ts';
import { signalTypes } from '../signals/index.ts';
import { thresholdsIn } from '../thresholds.ts';
import { type DoubtAction, type SignalWeight, type Threshold, tooFastPoints } from './marks.ts';

type Keys = Readonly<Record<string, unknown>>;
const nothing: Keys = {};
const keysIn = (value: unknown): Keys => (isMap(value) ? value : nothing);

/** How many points each signal may count: those that need nothing, and those that the config names. */
export const weightsOf = (signals: ReadonlyMap<string, SignalWeight> | undefined) =>
  signalTypes.flatMap((type) => {
    const own = signals?.get(type.name);
    const weight = own?.weight ?? (own || type.isDefault ? type.weight : 0);
    return weight > 0 ? [{ type, weight, keys: own?.keys ?? {} }] : [];
  });

/** A form's signals over those at the top, each by its name. */
export const mergedSignals = (own: Keys, shared: Keys): ReadonlyMap<string, SignalWeight> =>
  new Map([...(signalsIn(shared) ?? []), ...(signalsIn(own) ?? [])]);

export function checkConfig(at: Diagnostics, { topSpam, forms }: TopContext): void {
  checkDrop(thresholdsIn(topSpam), at);
  const told = new Set<string>();
  for (const [id, form] of forms) {
    const place = at.in('forms', id);
    const spam = keysIn(form.spam);
    checkDrop(thresholdsIn(spam), place);
    checkHaste(spam, topSpam, place);
    if (![place, at].some((one) => one.in('spam', 'signals').isWrong))
      checkReach(spam, topSpam, at, place, told);
    checkOutputs(form, spam, topSpam, at, place, id);
  }
}

/** A higher threshold than that of `drop` never applies. */
function checkDrop(thresholds: readonly Threshold[] = [], at: Diagnostics): void {
  const dropped = fromOf(thresholds, 'drop') ?? Infinity;
  for (const { action, from } of thresholds)
    if (from > dropped)
      at.in('spam', 'doubt', action).error(
        `${action} holds from ${from} points, and drop from ${dropped} already; write the larger number for drop`,
      );
}

const fromOf = (thresholds: readonly Threshold[], action: DoubtAction) =>
  thresholds.find((one) => one.action === action)?.from;

/** `too_fast: doubt` alone never drops anything. */
function checkHaste(spam: Keys, topSpam: Keys, at: Diagnostics): void {
  if (spam.too_fast !== 'doubt') return;
  const thresholds = thresholdsIn(spam) ?? thresholdsIn(topSpam) ?? [];
  const points = tooFastPoints(thresholds);
  const drop = fromOf(thresholds, 'drop') ?? Infinity;
  if (points >= drop)
    at.in('spam', 'too_fast').error(
      `a submission sent too fast gets the ${points} points of tag, and drop holds from ${drop}: all of them would be dropped; write a larger number for drop`,
    );
}

/** Reports a mistake at the top of the file once, for the first form that has it. */
function checkReach(spam: Keys, topSpam: Keys, at: Diagnostics, form: Diagnostics, told: Set<string>): void {
  const own = thresholdsIn(spam);
  const thresholds = own ?? thresholdsIn(topSpam) ?? [];
  if (thresholds.length === 0) return;
  const haste = spam.too_fast === 'doubt' ? tooFastPoints(thresholds) : 0;
  const weights = weightsOf(mergedSignals(spam, topSpam));
  const most = Math.round(weights.reduce((sum, { weight }) => sum + weight, haste) * 10) / 10;
  const isAtSignals = signalsIn(spam) !== undefined && !own;
  const place = own || isAtSignals ? form : at;
  for (const { action, from, isKey } of thresholds) {
    // The log has the points of each submission, however few.
    if (from <= most || (action === 'observe' && most > 0)) continue;
    const key = `${place.path.join('.')} ${action}`;
    if (told.has(key)) continue;
    told.add(key);
    const here = isAtSignals
      ? place.in('spam', 'signals')
      : isKey
        ? place.in('spam', 'doubt', action)
        : place.in('spam', 'doubt');
    here.error(
      most === 0
        ? 'nothing speaks against a submission: all signals are switched off'
        : `${action} holds from ${from} points, and all signals together have ${most}`,
    );
  }
}

/** Submissions that are set aside need an output that takes them, and so do all others. */
function checkOutputs(
  { outputs }: Keys,
  spam: Keys,
  topSpam: Keys,
  at: Diagnostics,
  form: Diagnostics,
  id: string,
): undefined {
  if (!Array.isArray(outputs) || outputs.length === 0) return undefined;
  const asides = outputs.map((output) => keysIn(output).aside ?? 'never');
  if (asides.every((aside) => aside === 'only'))
    return form
      .in('outputs')
      .error(
        'all of them take only what is set aside, so that everything else reaches nobody; write `aside: also` into one, or leave it out',
      );
  const own = thresholdsIn(spam);
  const thresholds = own ?? thresholdsIn(topSpam) ?? [];
  const aside = thresholds.find(({ action }) => action === 'aside');
  if (!aside || !asides.every((one) => one === 'never')) return undefined;
  const place = (own ? form : at).in('spam', 'doubt');
  return (aside.isKey ? place.in('aside') : place).error(
    `no output of ${id} takes what is set aside; write \`aside: only\`, or \`aside: also\`, into one`,
  );
}
