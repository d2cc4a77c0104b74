/** `/api/v1/search.js`: a combobox for a select, following the ARIA Authoring Practices for one with a list. */
import { addStyle, eachField, make, makeStatus } from './page_tools.ts';

const style = `
.field-search{position:relative}
.field-search>select{position:absolute;inset-block-start:0;inline-size:1px;block-size:1px;min-block-size:0;padding:0;border:0;overflow:hidden;clip-path:inset(50%)}
.search-list{position:absolute;z-index:9;inset-inline:0;max-block-size:16em;margin:.125em 0;padding:0;overflow:auto;border:1px solid var(--_line,currentcolor);border-radius:var(--_radius,0);background:Canvas;color:CanvasText;list-style:none}
.search-list[hidden]{display:none}
.search-list>li{padding:.5em .75em;cursor:pointer}
.search-list>[aria-disabled=true]{opacity:.6}
.search-list>[aria-selected=true]{background:Highlight;color:HighlightText}
.search-status:not(.search-none){position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);margin:0}`;

export function attach(form: HTMLFormElement, _?: HTMLElement, send = fetch): typeof fetch {
  addStyle(form, style);
  eachField(form, '.field-search', (field) => search(form, field));
  return send;
}

/** Ignores case and accents. */
const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

function search(form: HTMLFormElement, field: HTMLElement): void {
  const select = field.querySelector('select');
  if (!select) return;
  const { none = '', found = '', inputClass = '' } = field.dataset;
  const input = make('input', inputClass);
  const list = make('ul', 'search-list');
  const status = makeStatus('search-status');
  const { id } = select;
  const options = () => [...select.options].filter(({ value }) => value !== '');
  const isOpen = () => !list.hidden;
  let active: HTMLElement | undefined;

  const activate = (item: HTMLElement | undefined) => {
    active?.setAttribute('aria-selected', 'false');
    active = item;
    item?.setAttribute('aria-selected', 'true');
    item?.scrollIntoView({ block: 'nearest' });
    if (item) input.setAttribute('aria-activedescendant', item.id);
    else input.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    list.hidden = true;
    status.classList.remove('search-none');
    input.setAttribute('aria-expanded', 'false');
    activate(undefined);
  };
  const showChosen = () => {
    const [chosen] = select.selectedOptions;
    input.value = chosen?.value ? chosen.text : '';
    close();
  };
  const choose = (option: HTMLOptionElement | undefined) => {
    if (option?.disabled) return;
    const value = option?.value ?? '';
    const isChanged = select.value !== value;
    select.value = value;
    showChosen();
    status.textContent = '';
    if (isChanged) select.dispatchEvent(new Event('change', { bubbles: true }));
  };
  /** Options whose code is the text come first, then those that start with it. */
  const matches = (typed: string) => {
    const wanted = plain(typed);
    const all = options().filter(
      ({ text, value }) => plain(text).includes(wanted) || plain(value) === wanted,
    );
    const rank = ({ text, value }: HTMLOptionElement) =>
      [plain(value) === wanted, plain(text).startsWith(wanted), true].indexOf(true);
    return all.toSorted((a, b) => rank(a) - rank(b));
  };
  const open = (typed: string) => {
    const all = matches(typed);
    list.replaceChildren(
      ...all.map((option, index) => {
        const item = make('li', '', option.text);
        item.id = `${id}--option-${index}`;
        item.role = 'option';
        item.setAttribute('aria-selected', 'false');
        if (option.disabled) item.setAttribute('aria-disabled', 'true');
        // Keeps the focus in the input.
        item.addEventListener('pointerdown', (event) => event.preventDefault());
        item.addEventListener('click', () => choose(option));
        item.dataset.value = option.value;
        return item;
      }),
    );
    active = undefined;
    list.hidden = all.length === 0;
    input.setAttribute('aria-expanded', String(all.length > 0));
    input.removeAttribute('aria-activedescendant');
    status.classList.toggle('search-none', all.length === 0);
    status.textContent = all.length > 0 ? found.replace('{count}', String(all.length)) : none;
  };
  const optionOf = (item: HTMLElement | undefined) =>
    item && options().find(({ value }) => value === item.dataset.value);
  const step = (by: 1 | -1) => {
    if (!isOpen()) open('');
    const items = [...list.children] as HTMLElement[];
    const at = active ? items.indexOf(active) + by : by > 0 ? 0 : items.length - 1;
    activate(items[(at + items.length) % items.length]);
  };

  input.type = 'text';
  input.role = 'combobox';
  input.autocomplete = 'off';
  input.placeholder = [...select.options].find(({ value }) => value === '')?.text ?? '';
  input.setAttribute('aria-autocomplete', 'list');
  input.addEventListener('input', (event) => {
    // Text typed here is not an answer yet.
    event.stopPropagation();
    open(input.value);
  });
  input.addEventListener('change', (event) => event.stopPropagation());
  input.addEventListener('click', () => (isOpen() ? close() : open('')));
  input.addEventListener('keydown', (event) => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') step(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Enter' && isOpen()) {
      if (active) choose(optionOf(active));
      else leave();
    } else if (key === 'Escape' && isOpen()) showChosen();
    else return;
    event.preventDefault();
  });
  /** An empty text clears the answer, and a complete option sets it. Other text is reverted. */
  const leave = () => {
    const typed = plain(input.value);
    const same = options().find(({ text, value }) => plain(text) === typed || plain(value) === typed);
    if (typed === '' || same) choose(same);
    else showChosen();
  };
  input.addEventListener('blur', leave);

  // The select stays in the page, because browsers show its errors there and move the focus to it.
  select.tabIndex = -1;
  select.ariaHidden = 'true';
  select.removeAttribute('id');
  input.id = id;
  list.id = `${id}--list`;
  list.role = 'listbox';
  input.setAttribute('aria-controls', list.id);
  const label = form.querySelector(`label[for="${CSS.escape(id)}"]`);
  if (label) {
    label.id ||= `${id}--label`;
    list.setAttribute('aria-labelledby', label.id);
  }
  select.addEventListener('focus', () => input.focus());
  select.addEventListener('change', showChosen);
  form.addEventListener('reset', () => setTimeout(showChosen));
  addEventListener('pageshow', showChosen);
  const follow = () => {
    input.disabled = select.matches(':disabled');
    input.ariaRequired = String(select.required);
    for (const name of ['aria-invalid', 'aria-describedby']) {
      const value = select.getAttribute(name);
      if (value === null) input.removeAttribute(name);
      else input.setAttribute(name, value);
    }
  };
  new MutationObserver(follow).observe(select, {
    attributeFilter: ['aria-invalid', 'aria-describedby', 'disabled', 'required'],
  });
  follow();
  field.append(input, list, status);
  showChosen();
}
