/** The form that is shown, with what was typed into it. */
import type { Scenes } from '../../scenes.ts';
import { type Control, controlsOf, giveValue, isBox, isSampleFile, isTouched, valuesOf } from './controls.ts';
import { showKey } from './editor.ts';
import { frame, stage } from './page_parts.ts';

/** Values as the relay takes them in a form's address: it renders the form with them, and the fields they ask for. */
type Values = URLSearchParams;
/** What was typed into each form, for when it is shown again; also on a page that is loaded again. */
const typed = new Map<string, string>(JSON.parse(sessionStorage.getItem('typed') ?? '[]'));
/** Nothing can be typed while the form is on its way, and nothing is lost. */
let isOnItsWay = false;
export const keepTyped = (form = stage().form) => {
  if (form !== undefined && !isOnItsWay) typed.set(form, String(takeTyped()));
};
addEventListener('pagehide', () => {
  keepTyped();
  sessionStorage.setItem('typed', JSON.stringify([...typed]));
});

export const relayForm = () => frame.contentDocument?.querySelector<HTMLFormElement>('form.form-relay');

/**
 * What was typed or chosen, now or before. Of a form that the relay gave back, everything: it has made that its
 * initial values. A box that is not ticked is said to be empty; left out, it would be shown as it was at first.
 */
const takeTyped = (): Values => {
  const values = new URLSearchParams();
  const form = relayForm();
  if (!form) return values;
  const isGivenBack = form.querySelector('[aria-invalid], .form-errors') !== null;
  const before = new URLSearchParams(frame.contentWindow?.location.search);
  // No page can put back a file that somebody chose.
  const controls = controlsOf(form).filter(({ type }) => type !== 'file');
  const names = controls.filter((one) => isGivenBack || isTouched(one) || before.has(one.name));
  for (const name of new Set(names.map((one) => one.name))) {
    const sent = controls.filter((one) => one.name === name).flatMap(valuesOf);
    for (const value of sent.length > 0 ? sent : ['']) values.append(name, value);
  }
  return values;
};

let growing: ResizeObserver | undefined;
const onLoad = () => {
  const root = frame.contentDocument?.documentElement;
  growing?.disconnect();
  if (!root) return;
  growing = new ResizeObserver(() => {
    frame.style.height = `${Math.max(root.offsetHeight, 160)}px`;
  });
  growing.observe(root);
  frame.contentDocument?.addEventListener('click', showItsLine);
  frame.contentDocument?.addEventListener('focusin', showItsLine);
};

/** What is clicked in the form, or reached by keyboard, is shown where the config declares it. */
const showItsLine = ({ target }: Event) => {
  const element = target as Element;
  const part = element.closest('.form-relay button[type=submit]')
    ? 'submit_label'
    : element.closest('h1, h2')
      ? 'title'
      : undefined;
  const around = element.closest('label, fieldset, .field') ?? element;
  const control = element.closest('[name]') ?? around.querySelector('[name]');
  const name = control?.getAttribute('name');
  if (part ?? name) showKey(stage().form ?? '', part ?? `fields.${name}`);
};

frame.addEventListener('load', onLoad);
if (frame.contentDocument?.readyState === 'complete') onLoad();

/** What does not fit into an address, of which servers take 16 KB at most, is typed in again. */
const longest = 300;
const most = 12_000;
const fits = (value: string) => value.length <= longest && !isSampleFile(value);

/** Calls back when the page that is on its way has its form, which htmx brings a little later. */
export const onceShown = (then: (form: HTMLFormElement) => void) => {
  const onPage = () => {
    const look = () => {
      const form = relayForm();
      if (!form) return;
      waiting.disconnect();
      then(form);
    };
    const waiting = new MutationObserver(look);
    if (frame.contentDocument) waiting.observe(frame.contentDocument, { childList: true, subtree: true });
    look();
  };
  frame.addEventListener('load', onPage, { once: true });
};

/** Gives the keyboard back to the field that it is in now, at the same place in its text. */
const takeFocus = (): (() => void) => {
  const focused =
    document.activeElement === frame && (frame.contentDocument?.activeElement as Control | null);
  if (!focused || focused.name === undefined) return () => undefined;
  const { name, value } = focused;
  const selection = 'selectionStart' in focused ? [focused.selectionStart, focused.selectionEnd] : [];
  return () => {
    const controls = controlsOf(relayForm() as HTMLFormElement).filter((one) => one.name === name);
    const control = controls.find((one) => !isBox(one) || one.value === value);
    control?.focus();
    const [start, end] = selection;
    if (control && 'setSelectionRange' in control && typeof start === 'number')
      control.setSelectionRange(start, end ?? start);
  };
};

/** What the relay tells the scenarios about the form that is shown (scenes.ts). */
export const scenes = (): Scenes | undefined => JSON.parse(stage().scenes || 'null') ?? undefined;

/** Shows the form that the stage names; as it was given out `ageMs` ago. */
export const showForm = (values: Values = new URLSearchParams(), ageMs = 0) => {
  const { frame: address = 'about:blank' } = stage();
  frame.hidden = address === 'about:blank';
  const query = new URLSearchParams([...values].filter(([, value]) => fits(value)));
  const given = query.size > 0 && String(query).length < most ? String(query) : '';
  const full = [ageMs > 0 && `playground-age=${ageMs}`, given].filter(Boolean).join('&');
  const restoreFocus = takeFocus();
  isOnItsWay = true;
  // In place of the page before, so that Back leads to the form before.
  frame.contentWindow?.location.replace(
    full ? address + (address.includes('?') ? '&' : '?') + full : address,
  );
  const long = [...values].filter(([, value]) => !fits(value));
  onceShown((form) => {
    isOnItsWay = false;
    for (const [name, value] of long) {
      const control = controlsOf(form).find((one) => one.name === name);
      if (!control) continue;
      giveValue(control, value);
      control.dispatchEvent(new Event('change', { bubbles: true }));
    }
    restoreFocus();
  });
};

export const showKept = () => showForm(new URLSearchParams(typed.get(stage().form ?? '')));
if (typed.get(stage().form ?? '')) showKept();

export const deeds: Readonly<Record<string, () => void>> = {
  fill: () => showForm(new URLSearchParams((scenes()?.samples ?? []).map(([name, value]) => [name, value]))),
  again: () => showForm(),
};
