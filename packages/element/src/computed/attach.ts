/** `/api/v1/computed.js`: works out results while visitors type. Only forms with a computed field load it (load_parts.ts). */
import { type Control, valuesOf } from '../element/controls.ts';
import { member } from '../element/dom.ts';
import { type Formula, inWords, workOut } from '../formula/work_out.ts';
import { whenChanged } from '../range/when_changed.ts';

const shown = new WeakSet<HTMLFormElement>();

/** Shown as long as something that the result needs is missing or wrong. */
const none = '–';

/** `facts`: the form as the relay renders it, which has the formulas. The relay trusts its own results alone. */
export function attach(form: HTMLFormElement, facts = form, send = fetch): typeof fetch {
  if (shown.has(form)) return send;
  shown.add(form);
  const outputs = (of: HTMLFormElement) => [...of.querySelectorAll('output')];
  const show = () => {
    const formulas = new Map(
      outputs(facts).flatMap(({ name, dataset: { formula } }): [string, Formula][] =>
        formula ? [[name, JSON.parse(formula)]] : [],
      ),
    );
    const typed = new Map<string, readonly string[]>();
    for (const control of member(form, 'elements') as Iterable<Control>)
      typed.set(control.name, [...(typed.get(control.name) ?? []), ...valuesOf(control)]);
    const results = workOut(formulas, (field) => typed.get(field) ?? []);
    for (const output of outputs(form)) {
      const formula = formulas.get(output.name);
      if (!formula) continue;
      const result = results.get(output.name);
      const words = result ? inWords(formula, result) : none;
      if (output.value !== words) output.value = words;
    }
  };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  whenChanged(form, (event) => {
    clearTimeout(waiting);
    // Screen readers hear a result, but none that is shown at first, and not one for each digit typed.
    if (event)
      for (const output of outputs(form)) if (output.name) output.setAttribute('aria-live', 'polite');
    if (event?.type === 'input') waiting = setTimeout(show, 400);
    else show();
  });
  return send;
}
