/** Calls back now, and whenever what the form holds may have changed: with the event, if the visitor changed it. */
export function whenChanged(form: HTMLFormElement, update: (event?: Event) => void): void {
  for (const type of ['input', 'change']) form.addEventListener(type, update);
  // Before it, nothing is reset yet.
  form.addEventListener('reset', () => setTimeout(update));
  // Browsers fill in again what was chosen before.
  addEventListener('pageshow', () => update());
  // Fields come and go.
  new MutationObserver(() => update()).observe(form, { childList: true, subtree: true });
  update();
}
