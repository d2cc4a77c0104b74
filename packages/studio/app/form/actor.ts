/** Fills in the live form and sends it, as a visitor does, before everybody's eyes. */
import { controlsOf, giveValues, isBox, openOf, tell } from './controls.ts';
import { formPage, pointAt } from './form_page.ts';

export const relayForm = () => formPage()?.querySelector<HTMLFormElement>('form.form-relay');

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Found<T> = T | undefined | false | null;
/** The first thing that `look` finds; `undefined` when that takes too long. */
export async function until<T>(look: () => Found<T> | Promise<Found<T>>, ms: number): Promise<T | undefined> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const found = await look();
    if (found) return found;
    await wait(30);
  }
  return undefined;
}

const isCalm = matchMedia('(prefers-reduced-motion: reduce)');

/** Draws a ring around it, until it is cancelled. As an animation, which leaves no attribute that htmx would copy. */
const light = (element: HTMLElement) => {
  const outline = '2px solid Highlight';
  return element.animate({ outline: [outline, outline] }, { duration: 60_000 });
};

const stepsOf = () => [...(relayForm()?.querySelectorAll<HTMLElement>('[data-step]') ?? [])];

/** The step that is in view, of a form that shows one at a time. */
export const stepInView = (): string | undefined => {
  const shown = stepsOf().filter((step) => step.checkVisibility());
  return shown.length === 1 ? shown[0]?.dataset.step : undefined;
};

/** Goes on to the step that a field is in; `false` when one before it is found to be wrong. */
export async function reach(name: string): Promise<boolean> {
  const isAhead = () =>
    stepsOf().some((step) => !step.checkVisibility() && step.querySelector(`[name="${CSS.escape(name)}"]`));
  while (isAhead()) {
    const step = stepInView();
    await press();
    await until(() => stepInView() !== step || read(), 10_000);
    if (stepInView() === step) return false;
  }
  return true;
}

/** Gives a field its values, letter by letter where it is typed. */
export async function fill(name: string, wanted: readonly string[]): Promise<void> {
  const own = () => {
    const form = relayForm();
    // The country beside a telephone number is chosen already.
    const found = form
      ? controlsOf(form).filter((control) => control.name === name && !control.dataset.beside)
      : [];
    return found.length > 0 && found;
  };
  // A field may come into the page because of the one before.
  const [first, ...others] = (await until(own, 2_000)) ?? [];
  if (!first) return;
  const values = openOf([first, ...others], wanted);
  pointAt(`fields.${name}`);
  first.scrollIntoView({ block: 'nearest' });
  const ring = light(first);
  if (isBox(first)) {
    for (const box of [first, ...others]) {
      if (!isBox(box) || box.checked === values.includes(box.value)) continue;
      // A radio button is ticked, never unticked.
      if (box.type === 'checkbox' || values.includes(box.value)) box.click();
      if (!isCalm.matches) await wait(60);
    }
  } else {
    const [value = ''] = values;
    const isFile = first.type === 'file';
    const isTyped = 'selectionStart' in first && first.selectionStart !== null && !isCalm.matches;
    if (!isFile && (isTyped || first.type === 'email')) {
      const step = Math.max(1, Math.ceil(value.length / 24));
      for (let end = step; end < value.length; end += step) {
        first.value = value.slice(0, end);
        tell(first, 'input');
        if (!isCalm.matches) await wait(14);
      }
    }
    giveValues([first, ...others], values);
    if (!isCalm.matches) await wait(60);
  }
  ring.cancel();
}

/** Clicks on the button. The browser's own checks are left to people: what the relay says is to be seen. */
export async function press(): Promise<void> {
  const form = relayForm();
  const button = form?.querySelector<HTMLButtonElement>('button[type=submit]');
  if (!form || !button) return;
  // Its captcha comes with a script of its own, and people wait for it.
  const boxes = [...form.querySelectorAll('[data-sitekey]:not(input)')];
  await until(() => boxes.every((box) => box.childElementCount > 0), 2_000);
  form.noValidate = true;
  button.formNoValidate = true;
  button.scrollIntoView({ block: 'nearest' });
  const ring = light(button);
  if (!isCalm.matches) await wait(250);
  ring.cancel();
  button.click();
}

/** Where the visitor would be now, if the form sends them on. */
export const sentOnTo = () => formPage()?.getElementById('elsewhere')?.textContent ?? undefined;

/** The page's text as a visitor reads it now, without the form itself. */
export function read(): string {
  const page = formPage();
  if (!page?.body) return '';
  const texts = (selector: string) =>
    [...page.querySelectorAll<HTMLElement>(selector)].map((one) => one.innerText.trim()).filter(Boolean);
  const said = [
    ...texts('.form-closed p'),
    ...texts('.form-confirmation'),
    ...texts('.field-error'),
    ...texts('.form-errors li'),
  ];
  if (said.length > 0) return [...new Set(said)].join(' ');
  return relayForm() || sentOnTo() ? '' : page.body.innerText.trim().replaceAll(/\s+/g, ' ').slice(0, 160);
}
