import type { Effects } from '../base/effects.ts';
import type { Form, Shown, ShownIn } from '../form.ts';

/** The form with what its features show of it at a time, or why it cannot be sent. */
export async function shownNow(
  form: Form,
  now: number,
  effects: Effects,
  link?: ShownIn['link'],
): Promise<Shown & { readonly form: Form }> {
  let shown = form;
  for (const show of form.answers.shows) {
    const found = await show(shown, { now, effects, link });
    shown = found?.form ?? shown;
    if (found?.instead) return { form: shown, instead: found.instead };
  }
  return { form: shown };
}
