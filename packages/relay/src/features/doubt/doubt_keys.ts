/** The schemas of `signals` and `doubt`, with the signals themselves and the words for them. */
import * as v from 'valibot';
import { type DoubtAction, doubtActions, type SignalWeight } from '../../base/doubt.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { optional, section } from '../../schema/keys.ts';
import { choice, isMap, number, oneOf } from '../../schema/kinds.ts';
import type { Lists } from '../../schema/lists/list.ts';
import { type Guards, weightsOf } from './doubt_problems.ts';
import type { Doubt } from './examine.ts';
import { signalTypes } from './signals/index.ts';
import type { Signal, SignalType } from './signals/signal.ts';

const points = () => number({ least: 0, most: 100 });

function weightOf(type: SignalType): Schema<SignalWeight> {
  const bare = v.pipe(
    points(),
    v.transform((weight): SignalWeight => ({ weight, keys: {} })),
  );
  const whole = v.pipe(
    section(
      {
        weight: optional(`How many points it counts at most. Default: ${type.weight}.`, points()),
        ...type.keys,
      },
      type.example,
    ),
    v.transform(({ weight, ...keys }): SignalWeight => ({ weight, keys })),
  );
  // A signal that needs its keys can still be switched off by a number.
  const needsMap = (input: unknown) => type.example !== undefined && Number(input) !== 0;
  return oneOf([bare, whole], (input) => (isMap(input) || needsMap(input) ? whole : bare));
}

export const signalsSchema = v.pipe(
  section(Object.fromEntries(signalTypes.map((type) => [type.name, optional(type.summary, weightOf(type))]))),
  v.transform(
    (written): ReadonlyMap<string, SignalWeight> =>
      new Map(Object.entries(written as Readonly<Record<string, SignalWeight>>)),
  ),
);

/** From how many points each holds, where the config does not say. */
const defaultThresholds: Readonly<Record<DoubtAction, number>> = {
  observe: 4,
  tag: 4,
  challenge: 5,
  aside: 8,
  drop: 15,
};

const inOrder = (all: readonly (readonly [DoubtAction, number])[]): Doubt['thresholds'] =>
  all
    .map(([action, from]) => ({ action, from }))
    .toSorted(
      (one, other) =>
        other.from - one.from || doubtActions.indexOf(other.action) - doubtActions.indexOf(one.action),
    );

const oneAction: Schema<Doubt['thresholds']> = v.pipe(
  choice([...doubtActions, 'off']),
  v.transform((action) => (action === 'off' ? [] : inOrder([[action, defaultThresholds[action]]]))),
);

const threshold = () => number({ least: 0.1, most: 1_000 });

const severalActions: Schema<Doubt['thresholds']> = v.pipe(
  section({
    observe: optional('Is only logged.', threshold()),
    tag: optional('Is delivered with a mark.', threshold()),
    aside: optional('Goes to the outputs with `aside` alone.', threshold()),
    challenge: optional('Comes back to the visitor, who has to show to be a person.', threshold()),
    drop: optional('Is dropped; its sender reads that it was delivered.', threshold()),
  }),
  v.transform((written) =>
    inOrder(
      doubtActions.flatMap((action) => {
        const from = written[action];
        return from === undefined ? [] : [[action, from] as const];
      }),
    ),
  ),
);

export const doubtSchema: Schema<Doubt['thresholds']> = oneOf([oneAction, severalActions], (input) =>
  isMap(input) ? severalActions : oneAction,
);

/** The signals of a form. */
export const signalsOf = (guards: Guards, lists: Lists): readonly Signal[] =>
  weightsOf(guards).map(({ type, weight, keys }) => type.make(weight, keys, lists));

export { signalProblems, signalWarnings } from './doubt_problems.ts';
export { noticedIn } from './noticed.ts';
