/** `/api/v1/again.js`: when the relay's page shows a form again, keeps its errors in view until they are corrected. */
import { describe } from '../element/controls.ts';
import type { Steps } from '../element/steps.ts';

export function attach(
  form: HTMLFormElement,
  _?: HTMLFormElement,
  send = fetch,
  steps?: Steps,
): typeof fetch {
  const status = form.querySelector('.form-status');
  const errors = 'p.field-error[id$="--error"],[data-forgotten]';
  const errorsIn = (element: Element | null) => element?.querySelectorAll<HTMLElement>(errors) ?? [];
  const remove = (error: HTMLElement) => {
    const { id } = error;
    for (const element of id ? form.querySelectorAll(`[aria-describedby~="${id}"]`) : []) {
      element.removeAttribute('aria-invalid');
      describe(element, (known) => known.filter((one) => one !== id));
    }
    error.remove();
    const links = status?.querySelectorAll(`a[href="#${id.replace(/--error$/, '')}"],a[href="#${id}"]`) ?? [];
    for (const link of links) link.closest('li')?.remove();
    if (links.length > 0 && !status?.querySelector('li')) status?.replaceChildren();
  };
  for (const type of ['input', 'change'])
    form.addEventListener(type, ({ target }) =>
      errorsIn((target as Element).closest('.field')).forEach(remove),
    );
  const filled = [...form.querySelectorAll('[data-step]')].filter((step) => step.querySelector(':enabled'));
  const wrong = errorsIn(form)[0]?.closest('[data-step]');
  const isLast = status?.firstChild || form.querySelector('[data-form-code]:not([hidden])');
  const step = wrong ?? (isLast ? filled.pop() : undefined);
  if (steps && step) {
    steps.show((step as HTMLElement).dataset.step as string, false);
    form.querySelector<HTMLElement>('[autofocus]')?.focus();
  }
  return (input, init) => {
    // A step does not check the steps after it.
    const isStep = /\/api\/v1\/check\//.test(`${input}`);
    for (const error of errorsIn(form)) if (!isStep || error.offsetParent) remove(error);
    return send(input, init);
  };
}
