import { buttonOf, type Control, make, show, withOwn } from './controls.ts';

/** A form that is filled in step by step. Without this script, the page shows all steps. */
export interface Steps {
  /** Whether the browser finds every field in this step valid. If not, it shows why. */
  isValid(): boolean;
  /** The number of this step, unless it is the last. `submitter`: the button that was pressed. */
  unfinished(): string | undefined;
  next(): void;
  restart(): void;
  /** Shows this step, or the next one with fields, without recording a move, because the browser history leads there (./steps). */
  show(number: string, hasFocus?: boolean): void;
  /** Called for each move to another step. */
  moved(number: string): void;
  /** Updates after fields were added or removed: a step without fields is skipped. */
  update(): void;
}

const nothing = () => {};
const shows = new WeakMap<HTMLFormElement, (control: Control) => void>();

/** Shows the step that contains this control. */
export const reveal = (form: HTMLFormElement, control: Control): void => shows.get(form)?.(control);

export function startSteps(form: HTMLFormElement, texts: DOMStringMap): Steps | undefined {
  const { next, back, stepOf, backClass } = texts;
  const all = [...form.querySelectorAll<HTMLElement>('[data-step]')];
  const button = buttonOf(form);
  if (all.length < 2 || !button || !next) return undefined;
  // The browser would report errors in hidden steps.
  const isChecked = !form.noValidate;
  form.noValidate = true;
  const progress = make('p', 'form-progress');
  const goBack = make('button', withOwn('form-back', backClass ?? button.className), back as string);
  goBack.type = 'button';
  // htmx and Turbo store pages as text, so elements that this script added earlier may be there again.
  for (const made of form.querySelectorAll('.form-progress,.form-back')) made.remove();
  if (button.dataset.label) button.textContent = button.dataset.label;
  button.dataset.label = button.textContent as string;
  const label = [...button.childNodes];
  let current = all[0] as HTMLElement;

  const controlsIn = (step: HTMLElement) => [...step.querySelectorAll<Control>('input,select,textarea')];
  const hasFields = (step: HTMLElement) => controlsIn(step).some(({ disabled }) => !disabled);
  const there = () => all.filter((step) => step === current || hasFields(step));
  const after = (count: number) => there()[there().indexOf(current) + count];
  const update = () => {
    for (const step of all) show(step, step === current);
    const steps = there();
    const number = steps.indexOf(current) + 1;
    progress.textContent = (stepOf as string)
      .replace('{step}', `${number}`)
      .replace('{steps}', `${steps.length}`);
    if (current.firstChild !== progress) current.prepend(progress);
    if (number < 2) goBack.remove();
    else if (!goBack.isConnected) button.before(goBack, ' ');
    if (form.hasAttribute('aria-busy')) return;
    if (number < steps.length) button.replaceChildren(next);
    else if (button.firstChild !== label[0]) button.replaceChildren(...label);
  };
  const numberOf = (step: HTMLElement) => step.dataset.step as string;
  const go = (step: HTMLElement | undefined, moved = steps.moved, hasFocus = true) => {
    if (!step || step === current) return;
    current = step;
    update();
    const title = step.querySelector<HTMLElement>('.form-step-title') ?? step;
    title.tabIndex = -1;
    if (hasFocus) title.focus();
    moved(numberOf(step));
  };
  goBack.onclick = () => go(after(-1));
  shows.set(form, (control) => go(all.find((step) => step.contains(control))));
  const steps: Steps = {
    isValid: () => !isChecked || controlsIn(current).every((control) => control.reportValidity()),
    unfinished: () => after(1) && numberOf(current),
    next: () => go(after(1)),
    restart: () => go(all[0]),
    show: (number, hasFocus) =>
      go(
        all.find((step) => +numberOf(step) >= +number && hasFields(step)),
        nothing,
        hasFocus,
      ),
    moved: nothing,
    update,
  };
  return steps;
}
