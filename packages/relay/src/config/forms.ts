import { inputsOf } from '../fields/field.ts';
import type { Form } from '../form.ts';
import type { OriginPattern } from '../schema/origin_pattern.ts';

/** A config's forms, by name. */
export interface Forms extends ReadonlyMap<string, Form> {
  /** Set if forms are built on demand. */
  readonly late?: LateForms;
}

/** Facts about forms that are not built. */
export interface LateForms {
  readonly notes: readonly FormNotes[];
  /** The same forms, each changed when it is built. */
  changed(change: (form: Form) => Form): Forms;
}

/** The facts about a form that the relay needs when its config loads. */
export interface FormNotes extends Pick<Form, 'id'> {
  /** The origins that may send it; empty: any. */
  readonly origins: readonly OriginPattern[];
  readonly needed: readonly NeededVariable[];
  /** The names of all variables that it reads. */
  readonly used: ReadonlySet<string>;
}

/** A variable that a form requires. */
export interface NeededVariable {
  readonly name: string;
  /** The requiring key, such as `forms.contact.outputs[0].password`. */
  readonly place: string;
  /** It holds the key of a server that sends. */
  readonly isKey?: boolean;
}

/** Lowers the limits of forms to what the relay can receive, and the limits that visitors read with them. */
export function limitUploads<C extends { readonly forms: Forms }>(config: C, mostBytes: number): C {
  const { forms } = config;
  if (forms.late) return { ...config, forms: forms.late.changed((form) => limited(form, mostBytes)) };
  if (![...forms.values()].some(({ bodyLimit }) => bodyLimit > mostBytes)) return config;
  return { ...config, forms: mapped(forms, (form) => limited(form, mostBytes)) };
}

function limited(form: Form, mostBytes: number): Form {
  if (form.bodyLimit <= mostBytes) return form;
  const fields = form.fields.map((field) => field.within?.(mostBytes) ?? field);
  return {
    ...form,
    bodyLimit: mostBytes,
    fields,
    inputs: inputsOf(fields),
    variants: mapped(form.variants, (variant) => limited(variant, mostBytes)),
  };
}

const mapped = <T>(map: ReadonlyMap<string, T>, change: (value: T) => T): ReadonlyMap<string, T> =>
  new Map([...map].map(([key, value]) => [key, change(value)]));
