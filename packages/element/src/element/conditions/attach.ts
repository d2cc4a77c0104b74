/** `/api/v1/conditions.js`: shows, hides and demands fields by conditions of all kinds (conditions.ts knows the usual one). */
import { type Condition, holds } from '@form-relay/base/condition';
import { showField } from '../conditions.ts';
import { controlsOf, valuesOf } from '../controls.ts';
import { show } from '../dom.ts';
import type { Steps } from '../steps.ts';

/** What pages/script_view.ts says of a field. */
type Rule = readonly [
  /** The number of a note. */
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
  const shownWhen = new Map(rules.map(([name, , when]) => [`${name}`.replace(/\.$/, ''), when]));
  const update = () => {
    const known = new Map<string, boolean>();
    const isTrue = (when: Condition | boolean): boolean =>
      typeof when === 'boolean' ? when : holds(when, valuesIn);
    const isThere = (name: string): boolean => {
      const is = known.get(name) ?? isTrue(shownWhen.get(name) ?? true);
      known.set(name, is);
      return is;
    };
    const values = new Map<string, readonly string[]>();
    const valuesIn = (name: string) => {
      if (!isThere(name)) return undefined;
      const found = values.get(name) ?? controlsOf(form, name).flatMap(valuesOf);
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
  for (const event of ['input', 'change']) form.addEventListener(event, update);
  // After the browser has reset what was typed.
  form.addEventListener('reset', () => setTimeout(update));
  addEventListener('pageshow', update);
  update();
  return send;
}
