/** `/api/v1/verify.js`: shows the step for the code that was mailed, once the relay asks for it. */
import { buttonOf, make, putAboveButton, show } from '../element/controls.ts';
import type { Steps } from '../element/steps.ts';

/** `facts`: the form as the relay renders it, with the step. */
export function attach(form: HTMLFormElement, facts = form, send = fetch, steps?: Steps): typeof fetch {
  const partIn = (selector: string) => [form, facts].map((one) => one.querySelector<HTMLElement>(selector));
  const [own, known] = partIn('[data-form-code]');
  const frame = own ?? known;
  const again = partIn('.form-code-again').find(Boolean);
  const button = again?.querySelector('button');
  if (!frame || !again || !button) return send;
  const inputs = [...frame.querySelectorAll('input')];
  const label = button.textContent;
  const status = make('span', '');
  status.setAttribute('role', 'status');
  again.append(' ', status);
  let isAsked = !frame.hidden;
  let isQuestion = false;
  let timer: ReturnType<typeof setInterval> | undefined;

  /** Steps before the last send nothing, so they need no code. */
  const update = () => {
    const isShown = isAsked && !steps?.unfinished();
    frame.hidden = !isAsked;
    again.hidden = !isAsked;
    // Overrides the site's CSS, which may show hidden elements.
    for (const one of [frame, again]) show(one, isShown);
    button.disabled = !isShown || timer !== undefined;
  };
  /** The countdown is silent; only its end is announced. */
  const countDown = () => {
    clearInterval(timer);
    const until = Date.now() + Number(again.dataset.waitS) * 1_000;
    const count = make('span', '');
    count.setAttribute('aria-hidden', 'true');
    button.replaceChildren(label, count);
    status.textContent = '';
    const tick = () => {
      const left = Math.ceil((until - Date.now()) / 1_000);
      count.textContent = left > 0 ? ` (${left})` : '';
      if (left > 0) return;
      clearInterval(timer);
      timer = undefined;
      status.textContent = again.dataset.ready ?? '';
      update();
    };
    timer = setInterval(tick, 1_000);
    tick();
  };
  for (const step of form.querySelectorAll('[data-step]'))
    new MutationObserver(update).observe(step, { attributeFilter: ['style'] });
  if (isAsked) countDown();
  update();
  // The missing code is not an error: the step explains it, so the error about the whole form is removed before anyone sees it.
  form.addEventListener('form-relay:failed', () => {
    if (!isQuestion) return;
    queueMicrotask(() => {
      form.querySelector('.form-status')?.replaceChildren();
      inputs.at(-1)?.focus();
    });
  });
  return async (address, init) => {
    isQuestion = false;
    const response = await send(address, init);
    const { verify, code, detail } = response.status === 422 ? await response.clone().json() : {};
    if (!verify) return response;
    const { name, value } = verify.token;
    if (!own) {
      putAboveButton(form, frame);
      buttonOf(form)?.after(again);
    }
    // Without a token, the next submission requests a new code.
    isAsked = value !== '';
    for (const input of inputs) {
      input.disabled = false;
      input.value = input.name === name ? value : '';
    }
    isQuestion = code === 'code_sent';
    const sent = frame.querySelector('.form-code-sent');
    if (sent && code !== 'code_wrong') sent.textContent = isQuestion ? detail : '';
    if (isAsked && code !== 'code_wrong') countDown();
    update();
    if (isQuestion || !isAsked) return response;
    const errors = [{ field: verify.field, code, message: detail, summary: detail, label: '', pointer: '' }];
    return new Response(JSON.stringify({ code, detail, errors }), { status: 422 });
  };
}
