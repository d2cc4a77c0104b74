import type { Tally } from '../../base/counts.ts';
import type { Effects } from '../../base/effects.ts';
import { usedOf } from '../../counting/tally.ts';
import type { ControlState, Field } from '../../fields/field.ts';
import type { Form, Shown } from '../../form.ts';
import { allPlaces, optionKey, type Places, placesKey } from './claims.ts';

/** The form with what is left, or why it cannot be sent. The answer may be a second old: the count itself comes later. */
export async function shown(
  asked: Places,
  form: Form,
  effects: Pick<Effects, 'openCounter'>,
): Promise<Shown | undefined> {
  let tally: Tally;
  try {
    tally = await (await effects.openCounter(asked.where)).read(placesKey(form.id), true);
  } catch {
    // Whoever sends the form reads that nothing can be counted now.
    return undefined;
  }
  const { total, options, hasWaitingList } = asked;
  const leftOf = (field: string, value: string): number | undefined => {
    const limit = options.get(field)?.get(value);
    return limit === undefined ? undefined : Math.max(0, limit - usedOf(tally, optionKey(field, value)));
  };
  const isTaken = (field: Field) =>
    field.required &&
    // Visitors to whom it is not shown need none of its options.
    !field.visible_when &&
    options.has(field.name) &&
    field.options?.every(({ value }) => leftOf(field.name, value) === 0);
  const isFull = (total !== undefined && usedOf(tally, allPlaces) >= total) || form.fields.some(isTaken);
  if (isFull && !hasWaitingList) return { instead: { code: 'form_full' } };
  const { say } = form;
  const fields = form.fields.map((field) => {
    if (!options.has(field.name) || !field.options) return field;
    const marked = field.options.map((option) => {
      const left = leftOf(field.name, option.value);
      if (left === undefined) return option;
      const params = { option: option.label, left };
      if (left > 0) return { ...option, label: say({ code: 'option_left', params }) };
      return {
        ...option,
        label: say({ code: hasWaitingList ? 'option_waiting' : 'option_taken', params }),
        ...(!hasWaitingList && { disabled: true as const }),
      };
    });
    // What was chosen until it was full is no longer: the browser asks for another option.
    const isOpen = (value: string) => !marked.some((one) => one.value === value && one.disabled);
    const control = (state: ControlState) =>
      field.control({ ...state, values: state.values.filter(isOpen) }, marked);
    return { ...field, control };
  });
  const notes = isFull ? [{ text: say({ code: 'waiting_open' }), before: 0 }, ...form.notes] : form.notes;
  return { form: { ...form, fields, notes } };
}
