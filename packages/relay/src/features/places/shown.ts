import type { Tally } from '../../base/counts.ts';
import type { ControlState } from '../../fields/field.ts';
import type { Form, Shown, ShownIn } from '../../form.ts';
import { type Places, placesKey } from './claims.ts';
import { isFull, leftOf } from './full.ts';

/** The form with what is left, or why it cannot be sent. The answer may be a second old: the count itself comes later. */
export async function shown(
  asked: Places,
  form: Form,
  { now, effects, link }: ShownIn,
): Promise<Shown | undefined> {
  let tally: Tally;
  try {
    tally = await (await effects.openCounter(asked.where)).read(placesKey(form.id), true);
  } catch {
    // Whoever sends the form reads that nothing can be counted now.
    return undefined;
  }
  const { options, hasWaitingList, isSecret } = asked;
  const filling = link && form.answers.filling?.(form, link.sealed, { settings: link.settings, now });
  const isNoneLeft = isFull(asked, form.fields, tally, filling);
  const { say } = form;
  const fields = form.fields.map((field) => {
    if (!options.has(field.name) || !field.options) return field;
    const marked = field.options.map((option) => {
      const left = leftOf(asked, tally, field.name, option.value);
      // A number that goes down would tell that an address was new.
      if (left === undefined || (left > 0 && isSecret)) return option;
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
  // What was typed may stand there with mistakes: the form that comes back says what is full, too.
  if (isNoneLeft && !hasWaitingList) return { form: { ...form, fields }, instead: { code: 'form_full' } };
  const notes = isNoneLeft ? [{ text: say({ code: 'waiting_open' }), before: 0 }, ...form.notes] : form.notes;
  return { form: { ...form, fields, notes } };
}
