/** `/api/v1/range.js`: shows the values of sliders. Only forms with a slider load it (taken_form.ts). */
const shown = new WeakSet<HTMLFormElement>();

/** In the form's language. Without a script, a slider shows no value, so its `<output>` is hidden until then. */
export function attach(form: HTMLFormElement, _?: HTMLFormElement, send = fetch): typeof fetch {
  if (shown.has(form)) return send;
  shown.add(form);
  const language = form.closest<HTMLElement>('[lang]')?.lang || undefined;
  const update = () => {
    for (const slider of form.querySelectorAll<HTMLInputElement>('input[type=range]')) {
      const output = [...form.querySelectorAll('output')].find(({ htmlFor }) => htmlFor.contains(slider.id));
      if (!output) continue;
      const none = slider.value === slider.dataset.rest ? output.dataset.none : undefined;
      const words = none ?? Number(slider.value).toLocaleString(language, { maximumFractionDigits: 20 });
      if (none === undefined) slider.removeAttribute('aria-valuetext');
      else slider.setAttribute('aria-valuetext', none);
      output.hidden = false;
      // The observer below would hear of it again.
      if (output.value !== words) output.value = words;
    }
  };
  for (const type of ['input', 'change']) form.addEventListener(type, update);
  // Before it, nothing is reset yet.
  form.addEventListener('reset', () => setTimeout(update));
  // Browsers fill in again what was chosen before.
  addEventListener('pageshow', update);
  // Fields come and go.
  new MutationObserver(update).observe(form, { childList: true, subtree: true });
  update();
  return send;
}
