/** `/api/v1/remember.js`: stores what is typed in this browser, and offers it to a returning visitor. */
import { makeButton } from './page_tools.ts';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Typed = readonly (readonly [name: string, values: readonly string[]])[];

interface Begun {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly until: number;
  readonly typed: Typed;
}

const prefix = 'form-relay begun ';
/** How much of a form is stored, in characters. */
const mostCharacters = 100_000;
const unkept =
  'output,[type=file],[type=hidden],[type=password],[autocomplete=off i]:not([data-beside]),[autocomplete=off i] *';

const attached = new WeakSet<HTMLFormElement>();

export function attach(form: HTMLFormElement, facts: HTMLFormElement, send?: typeof fetch): typeof fetch {
  if (attached.has(form)) return send as typeof fetch;
  attached.add(form);
  forgetOld();
  const words = facts.dataset;
  const { ms, fields, again } = JSON.parse(words.remember as string) as {
    readonly ms: number;
    readonly fields: readonly string[];
    /** The form is shown again with the sent values. */
    readonly again?: boolean;
  };
  // The form's own URL without the language, which identifies the relay and the form.
  const place =
    prefix + new URL(form.getAttribute('action') as string, document.baseURI).href.split('?', 1)[0];
  const isAsked = (name: string) => fields.some((field) => name === field || name.startsWith(`${field}.`));
  const controls = () =>
    [...form.querySelectorAll<Control>('input,select,textarea')].filter(
      (one) => isAsked(one.name) && !one.matches(unkept),
    );
  const kept = (name: string) => controls().filter((one) => one.name === name);
  const typedNow = (): Typed =>
    [...new Set(controls().map(({ name }) => name))].map((name) => [name, kept(name).flatMap(valuesOf)]);
  // The script may load after the visitor has started typing.
  const blank = controls().some(isChanged) ? '' : JSON.stringify(typedNow());
  let begun = read(place);
  let note: HTMLElement | undefined;
  let isOffered = false;

  const show = (
    said: string,
    time: number,
    ...buttons: readonly (readonly [words: string | undefined, press: () => void])[]
  ) => {
    note?.remove();
    note = document.createElement('p');
    note.className = 'form-offer';
    note.setAttribute('role', 'status');
    note.append(said.replace('{time}', inWords(time, form)));
    for (const [label, press] of buttons) {
      const button = makeButton(facts, '');
      button.textContent = label ?? '';
      button.onclick = press;
      note.append(' ', button);
    }
    form.prepend(note);
  };
  const withdraw = () => {
    note?.remove();
    note = undefined;
    isOffered = false;
  };
  const forget = () => {
    withdraw();
    begun = undefined;
    storing((storage) => storage.removeItem(place));
  };
  const clear = () => {
    forget();
    controls()[0]?.focus();
  };
  const save = () => {
    if (isOffered) return;
    const typed = typedNow();
    if (!begun && !again && JSON.stringify(typed) === blank) return;
    const now = Date.now();
    begun = { at: begun?.at ?? now, until: now + ms, typed };
    const text = JSON.stringify(begun);
    const isStored = text.length <= mostCharacters && storing((storage) => [storage.setItem(place, text)]);
    if (isStored && !note) show(words.rememberKept as string, begun.until, [words.rememberClear, clear]);
  };
  const goOn = (typed: Typed) => {
    withdraw();
    // A repeated field gets its entries from another script (`/api/v1/repeat.js`).
    const names = typed.filter(([, values]) => values.some(Boolean)).map(([name]) => name);
    form.dispatchEvent(new CustomEvent('form-relay:entries', { detail: names }));
    for (const [name, values] of typed) fillIn(kept(name), values);
    controls()[0]?.focus();
    save();
  };
  const isInEntry = (name: string) =>
    [...form.querySelectorAll<HTMLElement>('.repeat-items')].some(({ dataset }) =>
      name.startsWith(`${dataset.name}.`),
    );
  const there = (begun?.typed ?? []).filter(
    ([name]) => isAsked(name) && (kept(name).length > 0 || isInEntry(name)),
  );
  const isOther = there.some(([name, values]) => `${values}` !== `${kept(name).flatMap(valuesOf)}`);
  if (begun && isOther && !again) {
    isOffered = true;
    show(
      words.rememberOffer as string,
      begun.at,
      [words.rememberContinue, () => goOn(there)],
      [words.rememberAnew, clear],
    );
  } else if (again || !begun) save();
  for (const type of ['input', 'change']) form.addEventListener(type, save);
  form.addEventListener('reset', forget);
  form.addEventListener('form-relay:sent', forget);
  // The browser sends the form and leaves the page. If the form comes back with errors, it is stored again.
  if (!send)
    form.addEventListener('submit', ({ submitter }) => {
      if ((submitter as HTMLButtonElement | null)?.name !== '_resume') forget();
    });
  addEventListener('storage', ({ key, newValue }) => {
    // The form was sent in another tab.
    if (key === place && newValue === null) withdraw();
  });
  return send as typeof fetch;
}

/** Storage may be missing in some browsers and frames, or full. */
function storing<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(localStorage);
  } catch {
    return undefined;
  }
}

function read(place: string): Begun | undefined {
  const begun = storing((storage) => JSON.parse(storage.getItem(place) as string));
  return Array.isArray(begun?.typed) ? begun : undefined;
}

/** Removes old values of all forms, in case the visitor never returns to them. */
const forgetOld = () =>
  storing((storage) => {
    for (const place of Object.keys(storage))
      if (place.startsWith(prefix) && !((read(place)?.until as number) > Date.now()))
        storage.removeItem(place);
  });

/** Uses 24 hours, and for English without a country, puts the day first. */
function inWords(time: number, form: HTMLFormElement): string {
  const language = form.lang || document.documentElement.lang || undefined;
  const style = { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' } as const;
  return new Date(time).toLocaleString(language === 'en' ? 'en-GB' : language, style);
}

/** The values to send, including the country of a telephone number. A slider in its start position is not an answer. */
function valuesOf(control: Control): readonly string[] {
  if ('selectedOptions' in control) return [...control.selectedOptions].map(({ value }) => value);
  if (isBox(control)) return (control as HTMLInputElement).checked ? [control.value] : [];
  return [control.value === control.dataset.rest ? '' : control.value];
}

const isBox = ({ type }: Control) => /^(radio|checkbox)$/.test(type);

function fillIn(controls: readonly Control[], values: readonly string[]): void {
  const left = [...values];
  for (const control of controls) {
    const before = `${valuesOf(control)}`;
    if ('selectedOptions' in control) {
      // Several lists with one name have one value each.
      const own = control.multiple ? values : [left.shift()];
      for (const option of control.options) option.selected = own.includes(option.value);
    } else if (isBox(control)) (control as HTMLInputElement).checked = values.includes(control.value);
    else control.value = left.shift() || control.dataset.rest || '';
    // Other fields may depend on this one.
    if (`${valuesOf(control)}` !== before) control.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

/** Whether the value differs from the initial one. Browsers may have filled it in. */
function isChanged(control: Control): boolean {
  if ('options' in control)
    return [...control.options].some((one) => one.selected && one.value !== '' && !one.defaultSelected);
  const input = control as HTMLInputElement;
  if (isBox(input)) return input.checked && !input.defaultChecked;
  return input.value !== '' && input.value !== input.dataset.rest && input.value !== input.defaultValue;
}
