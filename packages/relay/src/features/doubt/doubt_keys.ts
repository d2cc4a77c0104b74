/** The schemas of `signals` and `doubt`, with the signals themselves and the words for them. */
import * as v from 'valibot';
import { type DoubtAction, doubtActions, type SignalWeight, type SimilarCount } from '../../base/doubt.ts';
import { parentAmong } from '../../messages/languages.ts';
import { hours24 } from '../../messages/moment_words.ts';
import type { FormAbout } from '../../outputs/output.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { optional, section } from '../../schema/keys.ts';
import { choice, isMap, number, oneOf } from '../../schema/kinds.ts';
import type { Lists } from '../../schema/lists/list.ts';
import { type Guards, weightsOf } from './doubt_problems.ts';
import type { Doubt } from './examine.ts';
import written from './noticed.json' with { type: 'json' };
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

export const signalsOf = (guards: Guards, lists: Lists): readonly Signal[] =>
  weightsOf(guards).map(({ type, weight, keys }) => type.make(weight, keys, lists));

export { signalProblems, signalWarnings } from './doubt_problems.ts';

// Tells what speaks against a submission in the words of its owner's language.

type Words = Readonly<Record<string, string>>;

const byLanguage: Readonly<Record<string, Words>> = written;

/**
 * Makes sentences of marks such as `6.5 (links, offers)`: `suspicious links; advertises something`. A mark that names
 * only signals without words stays as it is. Earlier messages are counted in the place of `repeated`:
 * `similar earlier messages: 3, since 22 November at 14:20 UTC`.
 */
export function noticedIn(language: string): FormAbout['doubtWords'] {
  const known = parentAmong(language, Object.keys(byLanguage)) ?? 'en';
  const words: Words = byLanguage[known] ?? written.en;
  let times: Intl.DateTimeFormat | undefined;
  const countIn = ({ count, since }: SimilarCount) => {
    times ??= new Intl.DateTimeFormat(known === 'en' ? 'en-GB' : known, timeFormat);
    const params: Words = { count: String(count), since: times.format(since) };
    return words.similar?.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  };
  return (mark, similar) => {
    const names = mark.slice(mark.indexOf('(') + 1, -1).split(', ');
    const said = names.flatMap(
      (name) => (name === 'repeated' && similar && countIn(similar)) || (words[name] ?? []),
    );
    return said.length === 0 ? mark : said.join(known === 'ar' ? '؛ ' : '; ');
  };
}

const timeFormat = {
  day: 'numeric',
  month: 'long',
  ...hours24,
  hour: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const;
