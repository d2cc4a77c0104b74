/** Checks `spam.doubt: aside` against the `aside` of outputs. */

import type { Threshold } from '../../base/doubt.ts';
import type { Form } from '../../form.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { isMap } from '../../schema/kinds.ts';
import { mapOrNothing, type RawMap } from '../feature.ts';

/** Submissions that are set aside need an output that takes them, and so do all others. @param config As written. */
export function asideProblems(config: RawMap): readonly Finding[] {
  const everywhere = mapOrNothing(config.spam).doubt;
  return Object.entries(mapOrNothing(config.forms)).flatMap(([id, form]) => {
    const { outputs, spam } = mapOrNothing(form);
    if (!Array.isArray(outputs) || outputs.length === 0) return [];
    const own = mapOrNothing(spam).doubt;
    const asides = outputs.map((output) => mapOrNothing(output).aside ?? 'never');
    const path = ['forms', id];
    if (asides.every((aside) => aside === 'only')) {
      return [finding('outputs_only_aside', [...path, 'outputs'])];
    }
    if (!asides.every((aside) => aside === 'never') || !setsAside(own ?? everywhere)) return [];
    const at = own === undefined ? ['spam', 'doubt'] : [...path, 'spam', 'doubt'];
    return [finding('aside_nowhere', isMap(own ?? everywhere) ? [...at, 'aside'] : at, { form: id })];
  });
}

const setsAside = (doubt: unknown): boolean => doubt === 'aside' || mapOrNothing(doubt).aside !== undefined;

/** Outputs for what is set aside, in forms that set nothing aside. */
export function asideWarnings(
  { id, outputs }: Form,
  doubt: { readonly thresholds: readonly Threshold[] } | undefined,
): readonly Finding[] {
  if (doubt?.thresholds.some(({ action }) => action === 'aside')) return [];
  return outputs.flatMap(({ aside }, index): readonly Finding[] => {
    const path = ['forms', id, 'outputs', index, 'aside'];
    if (aside === 'never') return [];
    return [{ ...finding('aside_unused', path, { isOnly: aside === 'only' }), severity: 'warning' }];
  });
}
