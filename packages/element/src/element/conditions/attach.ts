/**
 * `/api/v1/conditions.js`: shows, hides and requires fields by conditions of all kinds (conditions.ts
 * supports only the usual one).
 */
import { canonical, type Kind } from '@form-relay/base/canonical';
import { type Condition, decidersOf, holds } from '@form-relay/base/condition';
import { addressOf, withQuery } from '../address.ts';
import { showField } from '../conditions.ts';
import { type Control, controlsOf, show, valuesOf } from '../controls.ts';
import type { Steps } from '../steps.ts';

/** A field's conditions, as pages/script_view.ts writes them. */
type Rule = readonly [
  /** The number identifies a note. */
  name: string | number,
  canDemand: boolean,
  shownWhen: Condition | true,
  demandedWhen: Condition | boolean,
];

export function attach(
  form: HTMLFormElement,
  facts: HTMLFormElement,
  send: typeof fetch,
  steps?: Steps,
): typeof fetch {
  const rules = JSON.parse(facts.dataset.conditions ?? '[]') as readonly Rule[];
  const kinds = JSON.parse(facts.dataset.kinds ?? '{}') as Readonly<Record<string, Kind>>;
  const deciders = new Set(
    rules.flatMap(([, , ...all]) =>
      all.flatMap((one) => (typeof one === 'object' ? [...decidersOf(one)] : [])),
    ),
  );
  const shownWhen = new Map(rules.map(([name, , when]) => [`${name}`.replace(/\.$/, ''), when]));
  /** Fields that the relay required, whatever this page computes. */
  const demanded = new Set<string>();
  const relay = askingRelay(form, () => update());
  const update = () => {
    const known = new Map<string, boolean>();
    const isTrue = (when: Condition | boolean): boolean =>
      typeof when === 'boolean' ? when : holds(when, valuesIn);
    const isThere = (name: string): boolean => {
      const is = known.get(name) ?? (demanded.has(name) || isTrue(shownWhen.get(name) ?? true));
      known.set(name, is);
      return is;
    };
    const values = new Map<string, readonly string[]>();
    const meant = (name: string) => {
      const controls = controlsOf(form, name);
      // A slider in the page's own HTML lacks the position for no answer.
      const rest = controlsOf(facts, name)[0]?.dataset.rest;
      const typed = controls
        .flatMap(valuesOf)
        .map((value) => canonical(kinds[name], value))
        .map((value) => (value === rest ? '' : value));
      return kinds[name] === 'relay' && typed.some(Boolean) ? relay(name, controls, typed) : typed;
    };
    const valuesIn = (name: string) => {
      if (!isThere(name)) return undefined;
      const found = values.get(name) ?? meant(name);
      values.set(name, found);
      return found;
    };
    for (const [name, canDemand, shown, demandedWhen] of rules) {
      if (typeof name === 'number') {
        const note = form.querySelector<HTMLElement>(`[data-note="${name}"]`);
        note?.querySelector('.field-condition')?.remove();
        if (note) show(note, isTrue(shown));
        continue;
      }
      const isDemanded = isTrue(demandedWhen);
      const controls = controlsOf(form, name);
      if (typeof demandedWhen === 'object')
        for (const mark of controls[0]?.closest('.field')?.querySelectorAll<HTMLElement>('.field-required') ??
          [])
          show(mark, isDemanded);
      if (canDemand && demandedWhen) for (const control of controls) control.required = isDemanded;
      showField(form, name, isThere(name.replace(/\.$/, '')));
    }
    steps?.update();
  };
  const hear = ({ target }: Event) => {
    if (deciders.has((target as Control).name)) demanded.clear();
    update();
  };
  for (const event of ['input', 'change']) form.addEventListener(event, hear);
  // Runs after the browser has reset the fields.
  form.addEventListener('reset', () => setTimeout(update));
  addEventListener('pageshow', update);
  update();
  return async (address, init) => {
    const response = await send(address, init);
    const { errors = [] } =
      response.status === 422
        ? await response
            .clone()
            .json()
            .catch(() => ({}))
        : {};
    for (const { field } of errors as readonly { readonly field: string }[])
      demanded.add(field.split('.')[0] as string);
    if (errors.length > 0) update();
    return response;
  };
}

/** How long to wait while the visitor types. */
const waitMs = 300;

/**
 * The values of fields that only the relay can normalize, such as telephone numbers. Until the relay has
 * responded, the typed values.
 */
function askingRelay(form: HTMLFormElement, update: () => void) {
  const answers = new Map<string, readonly string[]>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const ask = async (name: string, body: string, typed: readonly string[]) => {
    // Without a response, the relay reports missing fields after sending.
    answers.set(body, typed);
    const address = addressOf(new URL(form.getAttribute('action') as string, document.baseURI).href);
    if (!address) return;
    try {
      const response = await fetch(withQuery(address('check'), 'values'), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      });
      if (response.ok) answers.set(body, (await response.json()).values[name] ?? []);
    } catch {}
    update();
  };
  return (name: string, controls: readonly Control[], typed: readonly string[]): readonly string[] => {
    const all = controls.flatMap((control) => (control.dataset.beside ? control.value : valuesOf(control)));
    const body = `${new URLSearchParams(all.map((value) => [name, value]))}`;
    const known = answers.get(body);
    clearTimeout(timers.get(name));
    if (!known) timers.set(name, setTimeout(ask, waitMs, name, body, typed));
    return known ?? typed;
  };
}
