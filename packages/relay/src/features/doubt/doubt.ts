import { doubtNames, type SignalWeight, type Threshold } from '../../base/doubt.ts';
import type { Lists } from '../../schema/lists/list.ts';
import { behaviour } from '../behaviour.ts';
import { feature, late } from '../feature.ts';
import { proof } from '../proof/proof.ts';
import type { Doubt } from './examine.ts';
import { signalsOf } from './late_keys.ts';

export interface Guards {
  readonly behaviour?: boolean;
  readonly signals?: ReadonlyMap<string, SignalWeight>;
  readonly doubt?: readonly Threshold[];
}

const examineDoubt = late(
  () => import('./examine.ts'),
  (loaded) => loaded.examineDoubt,
);

/** Weighs what speaks against a submission (D71). */
export const doubt = feature({
  name: 'doubt',
  check: { key: 'spam.doubt' },
  settings: ({ guards, lists }: { readonly guards: Guards; readonly lists: Lists }): Doubt | undefined => {
    const { doubt: thresholds = [] } = guards;
    return thresholds.length === 0 ? undefined : { thresholds, signals: signalsOf(guards, lists) };
  },
  ownNames: [doubtNames.tag, doubtNames.aside],
  needs: ({ signals }) =>
    signals.flatMap(({ name, service }) =>
      (service?.needs ?? []).map((variable) => ({ name: variable, path: ['spam', 'signals', name] })),
    ),
  stages: (asked, features) => {
    const beside = { proof: proof.in(features), countsBehaviour: behaviour.in(features) === true };
    return { check: (passage) => examineDoubt(asked, beside, passage) };
  },
});
