/** `/api/v1/repeat.js`: adds and removes entries. Only forms with a field of type repeat load it (taken_form.ts). */
import type { Control } from '../element/controls.ts';

const attached = new WeakSet<Element>();

/** Lets visitors add and remove entries of fields of type repeat (fields/repeat.ts), including fields that appear later. */
export function attach(form: HTMLFormElement, _?: HTMLFormElement, send = fetch): typeof fetch {
  const attachAll = () => {
    for (const items of form.querySelectorAll<HTMLElement>('.repeat-items'))
      if (!attached.has(items)) {
        attached.add(items);
        attachTo(items, form);
      }
  };
  new MutationObserver(attachAll).observe(form, { childList: true, subtree: true });
  attachAll();
  return send;
}

type Facts = Record<'name' | 'id' | 'least' | 'most' | 'item' | 'remove' | 'added' | 'removed', string>;

function attachTo(items: HTMLElement, form: HTMLFormElement): void {
  const { name, id, least, most, item, remove, added, removed } = items.dataset as Facts;
  const template = items.querySelector('template');
  const adder = items.querySelector<HTMLElement>(':scope > .repeat-add');
  const status = items.querySelector<HTMLElement>(':scope > .repeat-status');
  if (!template || !adder || !status) return;
  // Vue makes the template's contents children of the element, so the form would send them.
  template.content.append(...template.childNodes);
  const rows = () => [...items.querySelectorAll<HTMLElement>(':scope > .repeat-item')];
  const titleOf = (number: number) => item.replace('{n}', String(number));
  const controlsIn = (row: Element) => [...row.querySelectorAll<Control>('input,select,textarea')];
  /** An entry as if it had never been filled in: the relay, a link or the browser may have filled it in. */
  const isEmpty = (row: Element) => {
    const blank = controlsIn(template.content as unknown as Element);
    const found = controlsIn(row);
    return (
      found.length === blank.length && found.every((one, index) => stateOf(one) === stateOf(blank[index]))
    );
  };

  /** Names and ids in an entry contain its number. The relay numbers from 1. */
  const number = (row: HTMLElement, to: number) => {
    const [control] = controlsIn(row);
    const from = row.dataset.n ?? control?.name.slice(name.length + 1).split('.')[0] ?? '0';
    row.dataset.n = String(to);
    for (const element of row.querySelectorAll('*'))
      for (const { name: attribute, value } of [...element.attributes]) {
        if (!/^(name|id|for|href|aria-.*)$/.test(attribute)) continue;
        const renamed = value
          .split(`${id}-2e_${from}-2e_`)
          .join(`${id}-2e_${to}-2e_`)
          .replace(`${name}.${from}.`, () => `${name}.${to}.`);
        if (renamed !== value) element.setAttribute(attribute, renamed);
      }
    const legend = row.querySelector('legend');
    if (legend) legend.textContent = titleOf(to);
    const remover = removerOf(row);
    if (remover) remover.textContent = remove.replace('{item}', () => titleOf(to));
  };

  const update = () => {
    const all = rows();
    for (const [index, row] of all.entries()) {
      number(row, index + 1);
      const remover = removerOf(row);
      if (!remover) continue;
      remover.hidden = all.length <= +least;
      remover.onclick = () => removeRow(row);
    }
    adder.hidden = all.length >= +most;
  };

  const tell = (words: string, number: number) => {
    status.textContent = words.replace('{item}', () => titleOf(number));
  };

  const removeRow = (row: HTMLElement) => {
    const at = rows().indexOf(row);
    row.remove();
    update();
    const all = rows();
    const next = all[at] ?? all[at - 1];
    const target = (next && removerOf(next)?.hidden === false && removerOf(next)) || adder;
    target.focus();
    tell(removed, at + 1);
    // The following entries were renumbered, so stored values must be renumbered, too.
    items.dispatchEvent(new Event('change', { bubbles: true }));
  };

  const add = () => {
    const fresh = template.content.querySelector('.repeat-item')?.cloneNode(true) as HTMLElement;
    number(fresh, rows().length + 1);
    template.before(fresh);
    update();
    return fresh;
  };
  adder.onclick = () => {
    controlsIn(add())[0]?.focus();
    tell(added, rows().length);
  };
  // Stored values are about to be filled in, and need an entry.
  form.addEventListener('form-relay:entries', (event) => {
    for (const path of (event as CustomEvent<readonly string[]>).detail) {
      const wanted = path.startsWith(`${name}.`) ? parseInt(path.slice(name.length + 1), 10) : 0;
      while (rows().length < Math.min(wanted, +most)) add();
    }
  });

  // Without a script, visitors get spare entries, which are removed here.
  for (const row of rows().reverse()) {
    if (rows().length <= +least || !isEmpty(row)) break;
    row.remove();
  }
  // If only hidden, it would still be read out, and separate Bootstrap's legend from the element that clears its float.
  items.closest('.field-repeat')?.querySelector(`[id="${id}--hint"]`)?.remove();
  update();
}

const removerOf = (row: Element) => row.querySelector<HTMLElement>(':scope > .repeat-remove');

const stateOf = (control?: Control): string =>
  control && 'options' in control
    ? [...control.options].map(({ selected }) => selected).join()
    : `${(control as HTMLInputElement | undefined)?.checked} ${control?.value}`;
