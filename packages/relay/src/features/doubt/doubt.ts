import { doubtActions, doubtNames, type SignalWeight, type Threshold } from '../../base/doubt.ts';
import type { DoubtEvidence } from '../../base/event.ts';
import { late, lateFunction } from '../../base/late.ts';
import type { Form } from '../../form.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { lateSchema, optional } from '../../schema/keys.ts';
import { isMap, text } from '../../schema/kinds.ts';
import type { Lists } from '../../schema/lists/list.ts';
import { feature, mapOrNothing, type RawMap } from '../feature.ts';
import { challengeKeys, proof } from '../proof/proof.ts';
import type { Parsed } from './doubt_problems.ts';
import type { Doubt } from './examine.ts';

export interface Guards {
  readonly signals?: ReadonlyMap<string, SignalWeight>;
  readonly doubt?: readonly Threshold[];
}

/** The signals bring words and services along. */
export const doubtParts = late(() => import('./doubt_keys.ts'), 'doubt', 'signals');

export const doubtKeys = {
  signals: optional(
    'What speaks against a submission, and how much: weights in points by the name of the signal, 0 for none. A form’s own come before those at the top, each by its name (docs/doubt.md).',
    lateSchema(doubtParts, ({ signalsSchema }) => signalsSchema),
  ),
  doubt: optional(
    `What becomes of a submission that its signals speak against: ${doubtActions.map((one) => `\`${one}\``).join(', ')}, or \`off\`; or a map of these with the points from which each holds: \`{tag: 4, challenge: 8}\` (docs/doubt.md).`,
    lateSchema(doubtParts, ({ doubtSchema }) => doubtSchema),
  ),
};

export const tagSubjectKeys = {
  tag_subject: optional(
    'What stands before the subject of mails with a doubted submission. A space follows it. Default: `[Spam?]`; empty: nothing.',
    text(),
  ),
};

const examineDoubt = lateFunction(late(async () => (await import('./examine.ts')).examineDoubt));

/** Weighs what speaks against a submission. */
export const doubt = feature({
  name: 'doubt',
  isForBrowsers: true,
  // `challenge` stands beside `doubt`, which asks for it most often.
  keys: { spamAndTop: { ...doubtKeys, ...challengeKeys, ...tagSubjectKeys } },
  check: { key: 'spam.doubt' },
  settings: ({ guards, lists }: { readonly guards: Guards; readonly lists: Lists }): Doubt | undefined => {
    const { doubt: thresholds = [] } = guards;
    return thresholds.length === 0
      ? undefined
      : { thresholds, signals: doubtParts.loaded.signalsOf(guards, lists) };
  },
  reserves: ({ spam }) =>
    spam.doubt === undefined || spam.doubt === 'off'
      ? []
      : Object.values(doubtNames).map((name) => ({ name, check: 'doubt' })),
  problemsAtTop: (config, parsed: Parsed | undefined) => [
    ...(doubtParts.value?.signalProblems(config, parsed) ?? []),
    ...asideProblems(config),
  ],
  ownNames: Object.values(doubtNames),
  needs: ({ signals }) =>
    signals.flatMap(({ name, service, needs = [] }) =>
      [...(service?.needs ?? []), ...needs].map((variable) => ({
        name: variable,
        path: ['spam', 'signals', name],
      })),
    ),
  stages: (asked, features) => {
    const asks = proof.in(features)?.challenge ?? 'proof_of_work';
    return { check: (passage) => examineDoubt(asked, asks, passage) };
  },
  // The words for what ended a submission. telling/check_story.ts says more of it.
  explain: ({ score, action, signals, silent }: DoubtEvidence) => {
    const why = signals.map(({ signal, points, why }) => `${signal} ${points} (${why})`);
    const not = silent.map(({ signal, why }) => `${signal} says nothing (${why})`);
    return [`${score} ${score === 1 ? 'point' : 'points'}: ${action}`, ...why, ...not].join('; ');
  },
});

// Checks `spam.doubt: aside` against the `aside` of outputs.

/** Submissions that are set aside need an output that takes them, and so do all others. @param config As written. */
function asideProblems(config: RawMap): readonly Finding[] {
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
