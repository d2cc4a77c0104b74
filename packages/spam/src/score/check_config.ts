/** Mistakes between the signals, `doubt` and outputs of a whole config. */
import type { Diagnostics, TopContext } from '@form-relay/core/index';
import { isMap } from '@form-relay/schema/schema';
import { signalTypes } from '../signals/index.ts';
import { fromOf, type SignalWeight, type SpamBlock, thresholdsOf, tooFastPoints } from './marks.ts';

/** How many points each signal may count: those that need nothing, and those that the config names. */
export const weightsOf = (signals: ReadonlyMap<string, SignalWeight> | undefined) =>
  signalTypes.flatMap((type) => {
    const own = signals?.get(type.name);
    const weight = own?.weight ?? (own || type.example === undefined ? type.weight : 0);
    return weight > 0 ? [{ type, weight, keys: own?.keys ?? {} }] : [];
  });

/** A form's signals over those at the top, each by its name. */
export const mergedSignals = (own: SpamBlock, shared: SpamBlock): ReadonlyMap<string, SignalWeight> =>
  new Map([...(shared.signals ?? []), ...(own.signals ?? [])]);

export function checkConfig(at: Diagnostics, { topSpam, forms }: TopContext): void {
  checkDrop(topSpam, at);
  for (const [id, form] of forms) {
    const place = at.in('forms', id);
    const spam: SpamBlock = form.spam ?? {};
    checkDrop(spam, place);
    checkHaste(spam, topSpam, place);
    checkOutputs(id, form.outputs, spam, topSpam, at);
  }
}

/** A higher threshold than that of `drop` never applies. */
function checkDrop({ doubt = [] }: SpamBlock, at: Diagnostics): void {
  const dropped = fromOf(doubt, 'drop');
  for (const { action, from } of doubt)
    if (from > dropped)
      at.in('spam', 'doubt', action).error(
        `${action} holds from ${from} points, and drop from ${dropped} already; write the larger number for drop`,
      );
}

/** `too_fast: doubt` never drops anything by itself. */
function checkHaste(spam: SpamBlock, topSpam: SpamBlock, at: Diagnostics): void {
  const thresholds = thresholdsOf(spam, topSpam);
  const [points, drop] = [tooFastPoints(thresholds), fromOf(thresholds, 'drop')];
  if (spam.too_fast === 'doubt' && points >= drop)
    at.in('spam', 'too_fast').error(
      `a submission sent too fast gets the ${points} points of tag, and drop holds from ${drop}: all of them would be dropped; write a larger number for drop`,
    );
}

/** Quarantined submissions need an output that takes them, and so do all others. */
function checkOutputs(
  id: string,
  outputs: unknown,
  spam: SpamBlock,
  topSpam: SpamBlock,
  at: Diagnostics,
): undefined {
  if (!Array.isArray(outputs) || outputs.length === 0) return undefined;
  const form = at.in('forms', id);
  const asides = outputs.map((output) => (isMap(output) ? output.aside : undefined) ?? 'never');
  if (asides.every((aside) => aside === 'only'))
    return form
      .in('outputs')
      .error(
        'all of them take only what is set aside, so that everything else reaches nobody; write `aside: also` into one, or leave it out',
      );
  const aside = thresholdsOf(spam, topSpam).find(({ action }) => action === 'aside');
  if (!aside || asides.some((one) => one !== 'never')) return undefined;
  const place = (spam.doubt ? form : at).in('spam', 'doubt');
  return (aside.isKey ? place.in('aside') : place).error(
    `no output of ${id} takes what is set aside; write \`aside: only\`, or \`aside: also\`, into one`,
  );
}
