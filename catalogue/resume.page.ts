/** `/api/v1/resume.js`: saves from any step, shows the link in the form, and returns to the step. */
import { addStyle } from './page_tools.ts';

/** Shows a link of many lines on one line. Browsers still copy all of it. */
const style = '.form-resume-link{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}';

interface Steps {
  unfinished(): string | undefined;
  show(number: string, hasFocus?: boolean): void;
}

const attached = new WeakSet<HTMLFormElement>();
/** The visible step. */
const stepOf = (form: HTMLFormElement) =>
  [...form.querySelectorAll<HTMLElement>('[data-step]')].find((one) => one.getClientRects().length > 0)
    ?.dataset.step ?? '';

export function attach(
  form: HTMLFormElement,
  facts: HTMLFormElement,
  send = fetch,
  steps?: Steps,
): typeof fetch {
  if (attached.has(form)) return send;
  attached.add(form);
  addStyle(form, style);
  let isSaving = false;
  form.addEventListener(
    'submit',
    ({ submitter }) => {
      const button = submitter as HTMLButtonElement | null;
      isSaving = button?.name === '_resume';
      if (button && isSaving) button.value = `${button.value.split(' ')[0]} ${stepOf(form)}`.trim();
    },
    true,
  );
  const step = facts.dataset.resumeStep;
  if (steps) {
    const { unfinished } = steps;
    steps.unfinished = () => (isSaving ? undefined : unfinished());
    if (step) steps.show(step, false);
  }
  // The owner's page may send its whole URL to other sites.
  const url = new URL(location.href);
  if (url.searchParams.has('_resume') && form.dataset.query === undefined) {
    url.searchParams.delete('_resume');
    history.replaceState(history.state, '', url);
  }
  let link: string | undefined;
  // Saving is not a failure, so other listeners do not get this event, and the link replaces the script's error.
  addEventListener(
    'form-relay:failed',
    (event) => {
      const { message } = (event as CustomEvent<{ readonly message: string }>).detail;
      if (event.composedPath()[0] !== form || !link) return;
      const made = Object.assign(document.createElement('a'), {
        ...{ href: link, textContent: link, className: 'form-resume-link' },
      });
      event.stopImmediatePropagation();
      queueMicrotask(() => form.querySelector('.form-status')?.replaceChildren(`${message} `, made));
    },
    true,
  );
  return async (address, init) => {
    link = undefined;
    const response = await send(address, init);
    if (isSaving && response.status !== 204) {
      const { resume } = await response
        .clone()
        .json()
        .catch(() => ({}));
      link = resume?.link;
    }
    return response;
  };
}
