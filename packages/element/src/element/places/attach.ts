/** `/api/v1/places.js`: shows which options ran out while a form with `option_places` was filled in. */
import { addressOf, withQuery } from '../address.ts';
import { controlsOf } from '../controls.ts';
import { load, sleep } from '../load.ts';

export function attach(form: HTMLFormElement, _?: HTMLFormElement, send = fetch): typeof fetch {
  return async (address, init) => {
    const response = await send(address, init);
    if (response.status === 422) {
      const fill = (init?.body as FormData | undefined)?.get('fill');
      // Before the script shows the errors: what it moves the focus to can be chosen then.
      await Promise.race([showFull(form, response.clone(), `${address}`, fill), sleep(3_000)]).catch(
        () => {},
      );
    }
    return response;
  };
}

async function showFull(
  form: HTMLFormElement,
  response: Response,
  sentTo: string,
  fill?: FormDataEntryValue | null,
): Promise<void> {
  const { errors } = (await response.json()) as { errors: readonly { field: string; code: string }[] };
  const full = errors.filter(({ code }) => code === 'option_full');
  const address = addressOf(sentTo)?.('form');
  if (!full[0] || !address) return;
  const fresh = await load<HTMLFormElement>(fill ? withQuery(address, `fill=${fill}`) : address, 'form');
  for (const { field } of full) showAs(choicesOf(fresh, field), choicesOf(form, field));
}

/** A radio button, a checkbox, or an option of a list. */
type Choice = HTMLInputElement | HTMLOptionElement;

const choicesOf = (form: HTMLFormElement, name: string): readonly Choice[] =>
  controlsOf(form, name).flatMap<Choice>((control) =>
    'options' in control ? [...control.options] : (control as HTMLInputElement),
  );

const isOption = (choice: Choice): choice is HTMLOptionElement => 'selected' in choice;

function showAs(fresh: readonly Choice[], choices: readonly Choice[]): void {
  for (const choice of choices) {
    const now = fresh.find(({ value }) => value === choice.value);
    if (!now) continue;
    const shown = wordsOf(choice);
    const words = wordsOf(now)?.textContent;
    if (shown && words) shown.textContent = words;
    choice.disabled = now.disabled;
    if (!now.disabled) continue;
    if (isOption(choice)) choice.selected = false;
    else choice.checked = false;
  }
  // Other fields may depend on what is chosen.
  choices[0]?.dispatchEvent(new Event('change', { bubbles: true }));
}

/** The node with an option's label, in the relay's markup. Labels in a page's own markup stay as they are. */
const wordsOf = (choice: Choice) =>
  choice.closest('.form-relay') && (isOption(choice) ? choice : choice.closest('.choice')?.lastChild);
