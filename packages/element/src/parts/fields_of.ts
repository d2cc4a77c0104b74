import { make, withOwn } from '../element/dom.ts';

/** Calls back with each element of a form that a part is for, now and when more come. */
export function eachField(form: HTMLFormElement, selector: string, callback: (field: HTMLElement) => void) {
  const known = new WeakSet<Element>();
  const look = () => {
    for (const field of form.querySelectorAll<HTMLElement>(selector)) {
      if (known.has(field)) continue;
      known.add(field);
      callback(field);
    }
  };
  new MutationObserver(look).observe(form, { childList: true, subtree: true });
  look();
}

/** A button that does not send the form, with the class names that the site gives to such. */
export function makeButton({ dataset }: HTMLElement, own: string): HTMLButtonElement {
  const button = make('button', withOwn(own, dataset.buttonClass));
  button.type = 'button';
  return button;
}
