/** `/api/v1/resume.js`: the button that mails a link to go on later sends the form from any step (`resume`). */
import { say } from '../errors.ts';
import type { Steps } from '../steps.ts';

const attached = new WeakSet<HTMLFormElement>();

export function attach(
  form: HTMLFormElement,
  _: HTMLFormElement,
  send: typeof fetch,
  steps?: Steps,
): typeof fetch {
  if (attached.has(form)) return send;
  attached.add(form);
  if (steps) {
    const { unfinished } = steps;
    steps.unfinished = (submitter) =>
      (submitter as HTMLButtonElement | null)?.name === '_resume' ? undefined : unfinished();
  }
  // Nothing was sent and nothing failed, so other listeners hear nothing.
  addEventListener(
    'form-relay:failed',
    (event) => {
      const { code, message } = (event as CustomEvent<{ code?: string; message: string }>).detail;
      if (event.composedPath()[0] !== form || code !== 'resume_sent') return;
      event.stopImmediatePropagation();
      // After the script has shown it as an error.
      queueMicrotask(() => say(form, message));
    },
    true,
  );
  return send;
}
