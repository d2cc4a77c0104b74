import { formSegments } from '@form-relay/base/url';

/**
 * Ids that are unique in a page with several forms, and need no escaping in a selector: letters, digits and `_` stay,
 * everything else becomes `-<hex>_`, so that no two names give the same id and `--` only ever separates names.
 */
const escapeName = (name: string) => name.replaceAll(/\W/g, (unit) => `-${unit.charCodeAt(0).toString(16)}_`);

interface Named {
  readonly id: string;
}

export const formElementId = ({ id }: Named) => `form-${escapeName(id)}`;
/** A field's control, or the first one of a group. */
export const fieldElementId = (form: Named, field: string) => `${formElementId(form)}--${escapeName(field)}`;
/** The element that is rendered again when a field appears or goes (`visible_when`). */
export const slotElementId = (form: Named, field: string) => partId(fieldElementId(form, field), 'slot');
/** The id of a part of a control: its help, its error, another choice of its group. */
export const partId = (controlId: string, part: string | number) => `${controlId}--${part}`;

/** The relay's own class, for scripts and styles, and the site's classes. */
export const withOwn = (own: string, added: string | undefined): string => (added ? `${own} ${added}` : own);

/** An address of the API. `base`: what stands before `/api/v1`; nothing on the relay's own origin. */
export const apiPath = (base: string, route: string, formId: string): string =>
  `${base}/api/v1/${route}/${formSegments(formId)}`;
