import type { Field, FormView, Outcome, Values } from '@form-relay/core/index';
import { object, record } from '@form-relay/schema/collections';
import { boolean, duration, label, localizedText, name, number } from '@form-relay/schema/scalars';
import { optional, required, withDefault } from '@form-relay/schema/schema';
import type { Counters } from '../counters/index.ts';
import { type Tally, withdrawn } from '../counters/tally.ts';
import { isFull, leftOf, type Places, placesKey, takenBefore } from './claims.ts';

/** Limited by the size of one text, including the remembered ids. */
const count = number({ least: 1, most: 10_000, whole: true });

const optionPlaces = record(
  record(count, () => undefined, '{a: 12, b: 20}'),
  () => undefined,
  '{workshop: {a: 12, b: 20}}',
);

const once = object(
  {
    by: required(
      'The field (`mail`) whose value counts once: `required`, and of type `email` unless `reveal` is true.',
      name(),
    ),
    for: optional(
      'How long a value counts, at least a minute. Default: forever.',
      duration({ leastMs: 60_000, hasDays: true }),
    ),
    reveal: withDefault(
      'false',
      'Answers 403 (`already_registered`) if the value was already sent, instead of mailing the address. Anyone can then find out who has registered.',
      boolean(),
    ),
  },
  '{by: email, for: 30d}',
);

export const placesKeys = {
  places: optional(
    'Maximum number of submissions, delivered or queued. `counted_in` or `keep` at the top names the store (docs/places.md).',
    count,
  ),
  option_places: optional(
    'Limit per option of `select`, `radios` and `checkboxes`: `{workshop: {a: 12, b: 20}}`.',
    optionPlaces,
  ),
  full_text: optional(
    'Text when all places are taken (`Sold out`). Links as in `failure_message`.',
    localizedText(label()),
  ),
  once: optional(
    'Accepts one submission for each value of a field: `{by: email, for: 30d}` (docs/once.md). Only keyed hashes are stored. Needs FORM_TOKEN_SECRET.',
    once,
  ),
};

/**
 * The form with the places that are left, or the reason why it cannot be sent. The numbers may be a second
 * old, because a submission is counted later.
 */
export async function shown(places: Places, counters: Counters, view: FormView): Promise<FormView | Outcome> {
  const { services, locked, values, form, locale } = view;
  if (!services) return view;
  let tally: Tally;
  try {
    tally = await (await counters.counter(services)).read(placesKey(form.id), true);
    // A visitor who changes a submission may keep its places, so they count as free.
    const own = view.request && takenBefore.get(view.request);
    if (own) tally = withdrawn(tally, '', own.claims);
  } catch {
    // The visitor learns on submitting that places cannot be counted right now.
    return view;
  }
  const fixed = locked && new Map([...values].filter(([name]) => locked.has(name)));
  const { options, isSecret } = places;
  if (!view.sent && isFull(places, view.fields, tally, fixed)) return places.full;
  const fields = view.fields.map((field) => {
    if (!options.has(field.name) || !field.options) return field;
    return field.withKeys({
      options: field.options.map((option) => {
        const left = leftOf(places, tally, field.name, option.value);
        // Hide the number: a visitor who sees it go down learns that an address was new.
        if (left === undefined || (left > 0 && isSecret)) return option;
        const params = { option: locale.text(option.label), left };
        if (left > 0) return { ...option, label: locale.translate({ code: 'option_left', params }) };
        return { ...option, label: locale.translate({ code: 'option_taken', params }), disabled: true };
      }),
    });
  });
  return { ...view, fields, values: withoutClosed(fields, values) };
}

/** Deselects options that have become full, so that the browser asks for another one. */
function withoutClosed(fields: readonly Field[], values: Values): Values {
  const open = new Map(values);
  for (const { name, options } of fields) {
    const closed = options?.filter(({ disabled }) => disabled).map(({ value }) => value) ?? [];
    const left = values.get(name)?.filter((value) => !closed.includes(value));
    if (left) open.set(name, left);
  }
  return open;
}
