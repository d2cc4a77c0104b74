import { formSegments } from '@form-relay/base/url';

/**
 * Makes ids unique in a page with several forms, and safe in a selector: letters, digits and `_` stay, every
 * other character becomes `-<hex>_`. Two names never give the same id, and `--` only separates names.
 */
const escapeName = (name: string) => name.replaceAll(/\W/g, (unit) => `-${unit.charCodeAt(0).toString(16)}_`);

interface Named {
  readonly id: string;
}

export const formElementId = ({ id }: Named) => `form-${escapeName(id)}`;
/** The id of a field's control, or of the first one in a group. */
export const fieldElementId = (form: Named, field: string) => `${formElementId(form)}--${escapeName(field)}`;
/** The id of the element that is rendered again when a field is shown or hidden (`visible_when`). */
export const slotElementId = (form: Named, field: string) => partId(fieldElementId(form, field), 'slot');
/** The id of a part of a control: its help, its error, another choice of its group. */
export const partId = (controlId: string, part: string | number) => `${controlId}--${part}`;

/** The relay's own class, for scripts and styles, followed by the site's classes. */
export const withOwn = (own: string, added: string | undefined): string => (added ? `${own} ${added}` : own);

/** An address of the API. `base` is the part before `/api/v1`, empty on the relay's own origin. */
export const apiPath = (base: string, route: string, formId: string): string =>
  `${base}/api/v1/${route}/${formSegments(formId)}`;
