/** `/api/v1/range.js`: shows the values of sliders. Only forms with a slider load it (taken_form.ts). */
const shown = new WeakSet<HTMLFormElement>();

/** Shows values in the form's language. Without a script, a slider shows no value, so its `<output>` is hidden until then. */
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
      // Setting the same text again would trigger the observer below.
      if (output.value !== words) output.value = words;
    }
  };
  for (const type of ['input', 'change']) form.addEventListener(type, update);
  // The `reset` event fires before the fields are reset.
  form.addEventListener('reset', () => setTimeout(update));
  // Browsers restore earlier values.
  addEventListener('pageshow', update);
  // Fields are added and removed.
  new MutationObserver(update).observe(form, { childList: true, subtree: true });
  update();
  return send;
}
