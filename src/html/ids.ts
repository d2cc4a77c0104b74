import type { Form } from '../form.ts';

/**
 * Ids that are unique in a page with several forms, and need no escaping in a selector: letters, digits and `_` stay,
 * everything else becomes `-<hex>_`, so that no two names give the same id and `--` only ever separates names.
 */
const idOf = (...names: readonly string[]) =>
  `form-${names.map((name) => name.replaceAll(/[^A-Za-z0-9_]/g, escapeUnit)).join('--')}`;

const escapeUnit = (unit: string) => `-${unit.charCodeAt(0).toString(16)}_`;

export const formElementId = (form: Form) => idOf(form.id);
/** A field's control, or the first one of a group. */
export const fieldElementId = (form: Form, field: string) => idOf(form.id, field);
/** What belongs to a control: its help, its error, the other choices of its group. */
export const partId = (controlId: string, part: string | number) => `${controlId}--${part}`;
/** What is rendered again when a field appears or goes (`visible_when`). */
export const slotElementId = (form: Form, field: string) => partId(fieldElementId(form, field), 'slot');
export const slotElementPrefix = (form: Form) => `${formElementId(form)}--`;
/** Where errors that belong to no field appear. No field has an empty name. */
export const statusElementId = (form: Form) => idOf(form.id, '', 'status');
