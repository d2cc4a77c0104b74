import type { Field, FormView, Outcome, Values } from '@form-relay/core/index';
import type { Counters } from '../counters/index.ts';
import type { Tally } from '../counters/tally.ts';
import { isFull, leftOf, type Places, placesKey } from './claims.ts';

/** The form with what is left, or why it cannot be sent. The answer may be a second old: the count itself comes later. */
export async function shown(places: Places, counters: Counters, view: FormView): Promise<FormView | Outcome> {
  const { services, locked, values, form, locale } = view;
  if (!services) return view;
  let tally: Tally;
  try {
    tally = await (await counters.counter(services)).read(placesKey(form.id), true);
  } catch {
    // The sender of the form reads that nothing can be counted now.
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
        // A number that goes down would tell that an address was new.
        if (left === undefined || (left > 0 && isSecret)) return option;
        const params = { option: locale.text(option.label), left };
        if (left > 0) return { ...option, label: locale.translate({ code: 'option_left', params }) };
        return { ...option, label: locale.translate({ code: 'option_taken', params }), disabled: true };
      }),
    });
  });
  return { ...view, fields, values: withoutClosed(fields, values) };
}

/** Deselects options that have become full, so that the browser asks for another. */
function withoutClosed(fields: readonly Field[], values: Values): Values {
  const open = new Map(values);
  for (const { name, options } of fields) {
    const closed = options?.filter(({ disabled }) => disabled).map(({ value }) => value) ?? [];
    const left = values.get(name)?.filter((value) => !closed.includes(value));
    if (left) open.set(name, left);
  }
  return open;
}
