import { sleep, withQuery } from './address.ts';
import { type SubmitResult, submitForm } from './client.ts';
import { buttonOf, make, setMarkup, show } from './controls.ts';
import { clearErrors, say, sayError, showErrors, statusOf } from './errors.ts';
import type { TakenForm } from './taken_form.ts';

/** Sends a form and shows the result. Keeps the visitor's input until the submission has arrived. */
export async function send(
  taken: TakenForm,
  submitter?: HTMLElement | null,
): Promise<SubmitResult | undefined> {
  const { form } = taken;
  // A second click while the form is being sent does nothing.
  const isBusy = Boolean(taken.endBusy);
  if (isBusy) return undefined;
  const steps = taken.steps;
  if (steps && !(submitter as HTMLButtonElement | null)?.formNoValidate && !steps.isValid()) return undefined;
  const data = new FormData(form, submitter);
  clearErrors(form);
  showBusy(taken, submitter);
  // The form's parts may influence whether this is a step.
  const sends = await taken.send;
  const step = steps?.unfinished();
  if (step) {
    // The relay checks this step, and delivers nothing.
    const result = await submitForm(withQuery(taken.address('check'), `step=${step}`), data, sends);
    if (result.kind === 'sent') {
      taken.endBusy?.();
      // A visitor who went back in the meantime stays there.
      if (steps?.unfinished() === step) steps.next();
    } else showFailed(taken, result);
    return result;
  }
  const result = (await isReady(taken)) ? await post(taken, data) : undefined;
  if (result?.kind === 'sent') showSent(taken, result);
  else showFailed(taken, result);
  return result;
}

/** Waits until the token has loaded and is old enough. With a younger token, the relay would silently drop the submission. */
async function isReady(taken: TakenForm): Promise<boolean> {
  if (taken.waitMs() > 0) say(taken.form, taken.words().notSentYet);
  const until = performance.now() + 8000;
  while (taken.waitMs() === Infinity && performance.now() < until) {
    await Promise.race([taken.retry(), sleep(until - performance.now())]);
    if (taken.closed) break;
    if (taken.waitMs() === Infinity) await sleep(500);
  }
  const ms = taken.waitMs();
  if (ms < Infinity) await sleep(ms);
  return ms < Infinity;
}

async function post(taken: TakenForm, data: FormData): Promise<SubmitResult> {
  let mayRenew = true;
  let mayWait = true;
  for (;;) {
    const { captcha } = taken;
    const fields = [taken.token(), captcha && (await Promise.race([captcha.token(), sleep(8000)]))];
    for (const field of fields) if (field) data.set(...field);
    if (taken.words().page) {
      data.set('_page_url', location.href);
      data.set('_page_title', document.title);
    }
    const address = withQuery(taken.address('submit'), taken.words().query ?? '');
    const result = await submitForm(address, data, await taken.send);
    if (result.kind === 'sent') return result;
    captcha?.reset();
    taken.renew(result.token);
    const { retryAfterSeconds } = result as Failed & { kind: 'failed' };
    if (result.kind === 'expired' && mayRenew) {
      mayRenew = false;
      await sleep(taken.waitMs());
    } else if (mayWait && (retryAfterSeconds as number) <= 6) {
      mayWait = false;
      await sleep((retryAfterSeconds as number) * 1000);
    } else return result;
  }
}

/** After half a second, the form says that it is being sent, until that has ended. */
function showBusy(taken: TakenForm, submitter?: HTMLElement | null): void {
  const { form } = taken;
  const button = submitter ?? buttonOf(form);
  let restore = () => {};
  form.setAttribute('aria-busy', 'true');
  const timer = setTimeout(() => {
    const { sending } = taken.words();
    if (!sending) return;
    if (!statusOf(form).textContent) say(form, sending);
    if (!button) return;
    if (button instanceof HTMLInputElement) {
      const { value } = button;
      button.value = sending;
      restore = () => {
        button.value = value;
      };
      return;
    }
    const content = [...button.childNodes];
    button.replaceChildren(sending);
    restore = () => button.replaceChildren(...content);
  }, 500);
  taken.endBusy = () => {
    taken.endBusy = undefined;
    clearTimeout(timer);
    restore();
    form.removeAttribute('aria-busy');
    say(form);
  };
}

type Sent = SubmitResult & { kind: 'sent' };
type Failed = Exclude<SubmitResult, Sent>;

/** Returns `false` if a script on the page shows the result itself. */
const tell = ({ form, name }: TakenForm, event: string, detail: object) =>
  form.dispatchEvent(
    new CustomEvent(`form-relay:${event}`, {
      bubbles: true,
      cancelable: event === 'sent',
      composed: true,
      detail: { form: name, ...detail },
    }),
  );

/** The confirmation replaces the form and takes the focus, so that screen readers read it (WCAG 4.1.3). */
function showSent(taken: TakenForm, result: Sent): void {
  const { form } = taken;
  if (!tell(taken, 'sent', result)) {
    taken.endBusy?.();
    return;
  }
  const next = result.redirect && new URL(result.redirect, taken.address('submit')).href;
  if (/^https?:/.test(next as string)) {
    // Stays busy until the next page has loaded.
    location.assign(next as string);
    return;
  }
  const confirmation = make('div', 'form-confirmation', result.confirmation);
  for (const name of ['lang', 'dir']) {
    const value = form.getAttribute(name);
    if (value) confirmation.setAttribute(name, value);
  }
  if (result.confirmationHtml) setMarkup(confirmation, result.confirmationHtml);
  confirmation.tabIndex = -1;
  form.insertAdjacentElement('afterend', confirmation);
  // The form stays in the page, because the code that made it may look for it.
  show(form, false);
  confirmation.focus();
}

function showFailed(taken: TakenForm, result: Failed | undefined): void {
  const { form } = taken;
  const texts = taken.words();
  taken.endBusy?.();
  if (!result) {
    sayError(form, texts.notReady, texts.failureMessage, texts.failureMessageHtml);
    return;
  }
  tell(taken, 'failed', result);
  if (result.kind === 'invalid') showErrors(form, result.errors, texts);
  else if (result.kind === 'expired') sayError(form, texts.formExpired);
  else {
    // The relay's response overrides the page's texts, even with empty ones.
    const { code, message, failureMessage, failureMessageHtml } = { ...texts, ...result };
    // The link was already used by another visitor: the form can be sent without it.
    if (code === 'fill_used') form.querySelector('input[name=fill]')?.remove();
    // The solver did not load. The relay's own page has a question that people can answer.
    if (/^challenge/.test(code as string) && !form.dataset.guarded)
      HTMLFormElement.prototype.submit.call(form);
    const known = code ? texts[code === 'overloaded' ? 'throttled' : code] : texts.notSent;
    const words = known ?? message.replace(/./, (first) => first.toLocaleUpperCase());
    sayError(form, words, failureMessage, failureMessageHtml);
  }
}
