import { type Guard, sayWhile } from './guarded_form.ts';
import type { Given } from './puzzle.ts';

/** Makes a submission by htmx or the browser itself wait until the puzzle is solved. */
export function holdBack(guard: Guard): void {
  const { form, puzzle } = guard;
  const question = form.querySelector('[data-form-challenge]');
  // A visitor who began to answer the question keeps it.
  if (question && !isInUse(question)) question.remove();
  const mayPut = (name: string) => {
    const others = [...form.querySelectorAll<HTMLInputElement>('[name]')].filter((one) => one.name === name);
    return others.every(({ dataset }) => dataset.proof);
  };
  const put = (name: string, value: string) => {
    // ALTCHA's own widget may be in the form, too.
    if (!mayPut(name)) return;
    let input = form.querySelector<HTMLInputElement>(`[data-proof="${CSS.escape(name)}"]`);
    if (!input) {
      input = document.createElement('input');
      input.type = 'hidden';
      input.name = name;
      input.dataset.proof = name;
      // A field may have the name of what every form has.
      Element.prototype.append.call(form, input);
    }
    input.value = value;
  };
  let isWaiting = false;
  let isThrough = false;
  const sendSolved = async (submitter: HTMLElement | null) => {
    isWaiting = true;
    await sayWhile(guard, puzzle.solve());
    isWaiting = false;
    isThrough = true;
    HTMLFormElement.prototype.requestSubmit.call(form, submitter?.isConnected ? submitter : null);
    isThrough = false;
  };
  // Before all others that listen here: what is held back, nobody else sees.
  form.addEventListener(
    'submit',
    (event) => {
      const { submitter } = event;
      if (submitter?.hasAttribute('formaction')) return;
      if (isWaiting || (!isThrough && puzzle.isOpen())) {
        event.preventDefault();
        event.stopImmediatePropagation();
        if (!isWaiting) void sendSolved(submitter);
        return;
      }
      const solution = puzzle.solution();
      if (solution) put(...solution);
      puzzle.spend();
    },
    true,
  );
  form.addEventListener('form-relay:token', (event) => puzzle.take((event as CustomEvent<Given>).detail));
  // The form was sent before the visitor came back to it.
  if (wayHere() === 'back_forward') puzzle.spend();
  if (question || form.querySelector('.form-status')?.firstChild) void puzzle.solve();
}

const isInUse = (question: Element) =>
  question.matches(':focus-within') || question.querySelector('input')?.value !== '';

const wayHere = () =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type;
