import { partId } from '../base/html.ts';
import type { Form } from '../form.ts';

/**
 * Ids that are unique in a page with several forms, and need no escaping in a selector: letters, digits and `_` stay,
 * everything else becomes `-<hex>_`, so that no two names give the same id and `--` only ever separates names.
 */
const escapeName = (name: string) => name.replaceAll(/\W/g, (unit) => `-${unit.charCodeAt(0).toString(16)}_`);

export const formElementId = (form: Form) => `form-${escapeName(form.id)}`;
/** A field's control, or the first one of a group. */
export const fieldElementId = (form: Form, field: string) => `${formElementId(form)}--${escapeName(field)}`;
/** The element that is rendered again when a field appears or goes (`visible_when`). */
export const slotElementId = (form: Form, field: string) => partId(fieldElementId(form, field), 'slot');
export const slotElementPrefix = (form: Form) => `${formElementId(form)}--`;
