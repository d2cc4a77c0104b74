import type { Form } from '../form.ts';
import type { OriginPattern } from '../schema/origin_pattern.ts';

/** A config's forms, by name. */
export interface Forms extends ReadonlyMap<string, Form> {
  /** Where they are built when they are asked for. */
  readonly late?: LateForms;
}

/** What is known of forms that are not built (D154). */
export interface LateForms {
  readonly notes: readonly FormNotes[];
  /** The same forms, each changed when it is built. */
  changed(change: (form: Form) => Form): Forms;
}

/** What is looked at of each form when its config was loaded. */
export interface FormNotes extends Pick<Form, 'id'> {
  /** The pages that may send it; empty: any. */
  readonly origins: readonly OriginPattern[];
  readonly needed: readonly NeededVariable[];
  /** Every variable that it reads, by name. */
  readonly used: ReadonlySet<string>;
}

/** A variable that a form cannot do without. */
export interface NeededVariable {
  readonly name: string;
  /** What needs it, such as `forms.contact.outputs[0].password`. */
  readonly place: string;
}
