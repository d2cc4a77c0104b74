import type { CountPlace } from '../../base/counts.ts';
import { waitingName } from '../../base/doubt.ts';
import type { PlacesEvidence } from '../../base/event.ts';
import { isQueue, type Keep } from '../../base/kept.ts';
import { late, lateFunction } from '../../base/late.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { lateSchema, optional, perLanguage, withDefault } from '../../schema/keys.ts';
import { choice, label } from '../../schema/kinds.ts';
import { feature, type OwnStages } from '../feature.ts';
import type { Once, OptionPlaces, Places } from './claims.ts';

export const placesParts = late(
  () => import('./places_keys.ts'),
  'places',
  'once',
  'counted_in',
  'when_full',
  'full_text',
  'waiting',
);

export const countPlace: Schema<CountPlace> = lateSchema(placesParts, (loaded) => loaded.countPlace);

const reserve = lateFunction(late(async () => (await import('./reserve.ts')).reserve));
const refusalNow = lateFunction(late(async () => (await import('./reserve.ts')).refusalNow));
const answerDelivery = lateFunction(late(async () => (await import('./pace.ts')).answerDelivery));

/** Looks at what is counted before a mail goes out, and takes it before the delivery. */
export const countingStages = (asked: Places): Pick<OwnStages, 'foresee' | 'reserve'> => ({
  foresee: (form, submission, tell, world) => refusalNow(asked, form, submission, { tell, world }),
  reserve: (form, submission, tell, world) => reserve(asked, form, submission, { tell, world }),
});
const shown = lateFunction(late(async () => (await import('./shown.ts')).shown));

export interface AskedOfPlaces {
  readonly form: {
    readonly places?: number | undefined;
    readonly option_places?: OptionPlaces | undefined;
    readonly when_full: 'closed' | 'waiting';
    readonly once?: Once | undefined;
    readonly double_opt_in?: unknown;
    readonly keys_env?: unknown;
  };
  readonly top: { readonly keep?: Keep | undefined; readonly counted_in?: CountPlace | undefined };
}

/** Where the relay counts; `undefined`: nowhere. */
export function countedAt({ keep, counted_in: place }: AskedOfPlaces['top']): CountPlace | undefined {
  return place || !keep || isQueue(keep.in) ? place : keep.in;
}

/** A form takes so many submissions, or one from each (docs/places.md). */
export const places = feature({
  name: 'places',
  keys: {
    form: {
      places: optional(
        'How many submissions the form takes, from 1 to 10,000: a place is taken once a submission is delivered or kept. Where they are counted, `counted_in` or `keep` at the top says (docs/places.md).',
        lateSchema(placesParts, (loaded) => loaded.count),
      ),
      option_places: optional(
        'How often an option can be chosen, for fields of type `select`, `radios` and `checkboxes`: `{workshop: {a: 12, b: 20}}`. Options without a number are not counted.',
        lateSchema(placesParts, (loaded) => loaded.optionPlaces),
      ),
      when_full: withDefault(
        'closed',
        'What becomes of submissions once no place is left: they are refused (`closed`), or accepted with a mark, for outputs with `waiting` (`waiting`).',
        choice(['closed', 'waiting']),
      ),
      full_text: optional(
        'What visitors read below the relay’s own words once all places are taken. It may hold links like `failure_message`, in place of which it stands there.',
        perLanguage(label()),
      ),
      once: optional(
        'Takes one submission for each value of a field: `{by: email, for: 30d}`. Whoever sends another one reads the same as the first time, nothing is delivered, and the address gets a mail that says so. Only keyed hashes are stored. Needs FORM_TOKEN_SECRET in the environment.',
        lateSchema(placesParts, (loaded) => loaded.once),
      ),
    },
  },
  check: { key: 'places', isToldIfOn: true },
  settings: ({ form, top }: AskedOfPlaces): Places | undefined => {
    const { places: total, option_places: options = new Map(), when_full, once } = form;
    const { double_opt_in, keys_env } = form;
    const where = countedAt(top);
    if (!where || ((total ?? once) === undefined && options.size === 0)) return undefined;
    const hasWaitingList = when_full === 'waiting';
    // A link in a mail is clicked twice, and servers retry what they sent.
    const isRemembered = double_opt_in !== undefined || keys_env !== undefined;
    const isSecret = once !== undefined && !once.reveal && double_opt_in === undefined;
    return { total, options, hasWaitingList, once, isSecret, where, isRemembered };
  },
  problems: ({ form, top }) => placesParts.value?.placesProblems(form, top) ?? [],
  warnings: (asked, form) => placesParts.value?.onceWarnings(asked, form) ?? [],
  needs: ({ once }) => (once ? [{ name: 'FORM_TOKEN_SECRET', path: ['once'] }] : []),
  ownNames: [waitingName],
  answers: (asked) => ({
    add: (_, { medium }) =>
      medium === 'script' && asked.options.size > 0 && !asked.hasWaitingList ? { part: 'places' } : {},
    shows:
      asked.total === undefined && asked.options.size === 0
        ? undefined
        : (form, at) => shown(asked, form, at),
  }),
  stages: (asked) => ({
    ...countingStages(asked),
    ...(asked.isSecret && {
      delivered: async (form, submission, _outcome, _tell, world) =>
        answerDelivery(asked, form, submission, world),
    }),
  }),
  explain: (evidence: PlacesEvidence) => {
    switch (evidence.code) {
      case 'taken':
        return 'reserved';
      case 'waiting':
        return `on the waiting list, since none is left${ofOptions(evidence.full)}`;
      case 'full':
        return `no place is left${ofOptions(evidence.full)}`;
      case 'again':
        return 'another submission has this value already (`once`)';
      case 'awaited':
        return 'another submission with this value is still being delivered (`once`)';
      case 'uncounted':
        return `the places could not be counted: ${evidence.reason}`;
    }
  },
});

const ofOptions = (full: readonly string[]): string => {
  const named = full.filter(Boolean);
  return named.length > 0 ? ` of ${named.join(', ')}` : '';
};
