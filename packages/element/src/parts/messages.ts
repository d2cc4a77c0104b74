/** `/api/v1/messages.js`: makes browsers show the owner's messages for invalid fields. */
import { type Control, controlsOf } from '../element/controls.ts';

type Texts = Readonly<Record<string, Readonly<Partial<Record<string, string>>>>>;

export function attach(form: HTMLFormElement, facts = form, send = fetch): typeof fetch {
  const texts: Texts = JSON.parse(facts.dataset.messages ?? '{}');
  const say = (control: Control, hasWords: boolean) => {
    const own = texts[control.name];
    // Each radio button of a group may still have the previous message.
    if (own) for (const one of controlsOf(form, control.name)) one.setCustomValidity('');
    const state = Object.keys(own ?? {}).find((one) => control.validity[one as keyof ValidityState]);
    if (hasWords && state) control.setCustomValidity(own?.[state] ?? '');
  };
  form.addEventListener('invalid', ({ target }) => say(target as Control, true), true);
  form.addEventListener('input', ({ target }) => say(target as Control, false), true);
  return send;
}
