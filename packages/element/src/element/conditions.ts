import { canonicalText } from '@form-relay/base/canonical';
import { controlsOf, frameOf, show, valuesOf } from './controls.ts';

/** The condition of a field (pages/script_attributes.ts). */
type Rule = readonly [name: string, required: 0 | 1, decider: string, test: string, ...values: string[]];

const disabledHere = new WeakSet<Element>();

/**
 * Shows the fields whose condition holds, by the rules of visibleFields (fields/field.ts), and hides the
 * others, keeping what was typed in them.
 */
export function applyConditions(form: HTMLFormElement, when = '[]'): void {
  const rules = JSON.parse(when) as readonly Rule[];
  const isThere = (name: string): boolean => {
    const rule = rules.find(([field]) => field === name);
    if (!rule) return true;
    const [, , decider, test, ...wanted] = rule;
    const values = controlsOf(form, decider).flatMap(valuesOf);
    const isAny =
      test[0] === 'i' ? values.some((value) => wanted.includes(canonicalText(value))) : values.some(Boolean);
    return isThere(decider) && isAny === (test === 'is' || test === 'filled');
  };
  for (const [name, required] of rules) showField(form, name, isThere(name), Boolean(required));
}

/**
 * @param name Ends with a dot for a field that consists of other fields. @param isDemanded Whether browsers
 * require it while it is shown.
 */
export function showField(form: HTMLFormElement, name: string, isHere: boolean, isDemanded?: boolean): void {
  const controls = controlsOf(form, name);
  if (!controls[0]) return;
  // Each part of the field has its own frame.
  const frame = (/\.$/.test(name) && controls[0].closest('.field-parts')) || frameOf(form, controls);
  for (const element of new Set<Element>([frame, ...controls.flatMap(({ labels }) => [...(labels ?? [])])])) {
    show(element as HTMLElement, isHere);
    for (const words of element.querySelectorAll('.field-condition')) words.remove();
  }
  for (const control of controls) {
    if (isDemanded) control.required = true;
    // While the page loads, the browser may still restore what was typed, which it does not do in a disabled control.
    if (!isHere && !control.disabled && document.readyState === 'complete') {
      control.disabled = true;
      disabledHere.add(control);
    } else if (isHere && disabledHere.delete(control)) control.disabled = false;
  }
}
