/** htmx puts the form as the relay shows it again in the place of this one, and with it go the files: they go along. */
export function carryOver(form: HTMLFormElement, attach: (form: HTMLFormElement) => unknown): void {
  const parent = form.parentNode;
  if (!parent) return;
  new MutationObserver((changes, observer) => {
    if (form.isConnected) return;
    observer.disconnect();
    const next = changes
      .flatMap(({ addedNodes }) => [...addedNodes])
      .find((node): node is HTMLFormElement => node instanceof HTMLFormElement && node.id === form.id);
    if (!next) return;
    for (const input of inputsOf(form)) {
      const place = inputsOf(next).find(({ name }) => name === input.name);
      if (!place || !input.files?.length) continue;
      place.files = input.files;
      for (const words of place.closest('.field')?.querySelectorAll('[data-forgotten]') ?? []) words.remove();
    }
    attach(next);
  }).observe(parent, { childList: true });
}

const inputsOf = (form: HTMLFormElement) => [...form.querySelectorAll<HTMLInputElement>('input[type=file]')];
