import { object, record } from '@form-relay/schema/collections';
import { boolean, duration, label, localizedText, name, number } from '@form-relay/schema/scalars';
import { optional, removed, required, withDefault } from '@form-relay/schema/schema';

/** The capacity of one text, including the remembered ids. */
const count = number({ least: 1, most: 10_000, whole: true });

const optionPlaces = record(
  record(count, () => undefined, '{a: 12, b: 20}'),
  () => undefined,
  '{workshop: {a: 12, b: 20}}',
);

const once = object(
  {
    by: required(
      'The name of the `required` field whose value comes once: an `email` field, unless `reveal` is true.',
      name(),
    ),
    for: optional(
      'For how long, from a minute; after that, the same value may come again. Default: for ever.',
      duration({ leastMs: 60_000, hasDays: true }),
    ),
    reveal: withDefault(
      'false',
      'Whether the answer says that this value was sent before (403, `already_registered`), instead of a mail to the address. Then anybody can find out who has registered.',
      boolean(),
    ),
  },
  '{by: email, for: 30d}',
);

export const noWaitingList = 'for a waiting list, offer a second form, or more places';

export const placesKeys = {
  places: optional(
    'How many submissions the form takes, from 1 to 10,000: a place is taken once a submission is delivered or kept. Where they are counted, `counted_in` or `keep` at the top says (docs/places.md).',
    count,
  ),
  option_places: optional(
    'How often an option can be chosen, for fields of type `select`, `radios` and `checkboxes`: `{workshop: {a: 12, b: 20}}`. Options without a number are not counted.',
    optionPlaces,
  ),
  when_full: removed('0.2.0', 'a full form is closed', `leave it out; ${noWaitingList}`),
  full_text: optional(
    'What visitors read below the relay’s own words once all places are taken. It may hold links like `failure_message`, in place of which it stands there.',
    localizedText(label()),
  ),
  once: optional(
    'Takes one submission for each value of a field: `{by: email, for: 30d}`. Whoever sends another one reads the same as the first time, nothing is delivered, and the address gets a mail that says so. Only keyed hashes are stored. Needs FORM_TOKEN_SECRET in the environment.',
    once,
  ),
};
