/** `/api/v1/remember.js`: keeps what is typed in this browser, and offers it to a visitor who comes back (`remember`). */
import { absolute } from '../address.ts';
import { type Control, controlsOf, isForLater } from '../controls.ts';
import { make, member } from '../dom.ts';
import { addEntries, fillIn, isInEntry, type Typed, typedIn, unkept, withStorage } from '../kept.ts';

/** What the relay says of it in `data-remember`. */
interface Rule {
  readonly ms: number;
  readonly fields: readonly string[];
  /** The form is shown again with what was sent. */
  readonly again?: boolean;
}

interface Begun {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly until: number;
  readonly typed: Typed;
}

const prefix = 'form-relay begun ';
/** Of what is kept of a form, in characters. */
const mostCharacters = 100_000;

const attached = new WeakSet<HTMLFormElement>();

/** `send`: sends the form; absent where its browser does. Gives it back. */
export function attach(form: HTMLFormElement, facts: HTMLFormElement, send?: typeof fetch): typeof fetch {
  if (attached.has(form)) return send as typeof fetch;
  attached.add(form);
  forgetOld();
  const { ms, fields, again } = JSON.parse(facts.dataset.remember as string) as Rule;
  const place = placeOf(form);
  const isAsked = ({ name }: Control) =>
    // Rows and parts of a field have names of their own below its name.
    fields.some((field) => name === field || name.startsWith(`${field}.`));
  const kept = (name: string) => controlsOf(form, name).filter((control) => !control.matches(unkept));
  const valuesNow = (name: string) => typedIn(kept(name));
  const typedNow = (): Typed => {
    const names = ([...member(form, 'elements')] as Control[]).filter(isAsked).map(({ name }) => name);
    return [...new Set(names)].filter((name) => kept(name).length > 0).map((name) => [name, valuesNow(name)]);
  };
  // This part may come after the first letters.
  const isBegun = fields.some((field) => [field, `${field}.`].some((name) => kept(name).some(isChanged)));
  const blank = isBegun ? '' : JSON.stringify(typedNow());
  let begun = read(place);
  let offer: HTMLElement | undefined;

  const save = () => {
    if (offer) return;
    const typed = typedNow();
    if (!begun && !again && JSON.stringify(typed) === blank) return;
    const now = Date.now();
    begun = { at: begun?.at ?? now, until: now + ms, typed };
    const text = JSON.stringify(begun);
    if (text.length <= mostCharacters) withStorage('localStorage', (storage) => storage.setItem(place, text));
  };
  const withdraw = () => {
    offer?.remove();
    offer = undefined;
  };
  const forget = () => {
    withdraw();
    begun = undefined;
    withStorage('localStorage', (storage) => storage.removeItem(place));
  };
  const there = (begun?.typed ?? []).filter(
    ([name]) => isAsked({ name } as Control) && (kept(name).length > 0 || isInEntry(form, name)),
  );
  const isOther = there.some(([name, values]) => `${values}` !== `${valuesNow(name)}`);
  if (begun && isOther && !again) {
    offer = offerOf(begun.at, form, facts.dataset, (goesOn) => {
      withdraw();
      if (goesOn) {
        addEntries(form, there);
        for (const [name, values] of there) fillIn(kept(name), values);
      } else forget();
      const [first] = ([...member(form, 'elements')] as Control[]).filter(isAsked);
      first?.focus();
      if (goesOn) save();
    });
    form.prepend(offer);
  } else if (again || !begun) save();
  for (const type of ['input', 'change']) form.addEventListener(type, save);
  form.addEventListener('reset', forget);
  form.addEventListener('form-relay:sent', forget);
  // Its browser sends it and leaves the page; if it comes back with errors, it is kept again.
  if (!send)
    form.addEventListener('submit', ({ submitter }) => {
      if (!isForLater(submitter)) forget();
    });
  addEventListener('storage', ({ key, newValue }) => {
    // It was sent in another tab.
    if (key === place && newValue === null) withdraw();
  });
  return send as typeof fetch;
}

/** The form's own address, whatever its language: no other relay and no other form has it. */
const placeOf = (form: HTMLFormElement) =>
  prefix + absolute(form.getAttribute('action') as string).split('?', 1)[0];

function read(place: string): Begun | undefined {
  const begun = withStorage('localStorage', (storage) => JSON.parse(storage.getItem(place) as string));
  return Array.isArray(begun?.typed) ? begun : undefined;
}

/** Of any form: nobody may come back to it. */
function forgetOld(): void {
  withStorage('localStorage', (storage) => {
    for (const place of Object.keys(storage)) {
      if (place.startsWith(prefix) && !((read(place)?.until as number) > Date.now()))
        storage.removeItem(place);
    }
  });
}

function offerOf(at: number, form: HTMLFormElement, words: DOMStringMap, answer: (goesOn: boolean) => void) {
  const language = form.lang || document.documentElement.lang || undefined;
  // With 24 hours, and English of no country with the day first, as everywhere (messages/moment_words.ts).
  const time = new Date(at).toLocaleString(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'long',
    timeStyle: 'short',
    hourCycle: 'h23',
  });
  const button = (label: string | undefined, goesOn: boolean) => {
    const made = make('button', '', label ?? '');
    made.type = 'button';
    made.onclick = () => answer(goesOn);
    return made;
  };
  const said = (words.rememberOffer as string).replace('{time}', time);
  const offer = make(
    'p',
    'form-offer',
    ...[said, ' ', button(words.rememberContinue, true), ' ', button(words.rememberAnew, false)],
  );
  offer.setAttribute('role', 'status');
  return offer;
}

/** Whether it holds something else than at first. Browsers may have filled it in. */
function isChanged(control: Control): boolean {
  if ('options' in control) {
    return [...control.options].some(
      ({ selected, defaultSelected, value }) => selected && value !== '' && !defaultSelected,
    );
  }
  const input = control as HTMLInputElement;
  if (/^(radio|checkbox)$/.test(input.type)) return input.checked && !input.defaultChecked;
  return input.value !== '' && input.value !== input.dataset.rest && input.value !== input.defaultValue;
}
