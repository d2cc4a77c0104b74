/** Labels of fields, and errors that name the field: "Enter your name." instead of "Enter a value." */

import { withoutLinks } from '@form-relay/base/html';
import type { Form } from '../form.ts';
import { firstWording, type Locale, type Message, type Param, textParam } from '../messages/message.ts';
import type { FieldError } from '../submission.ts';
import type { Field } from './field.ts';

export interface Labelled {
  readonly label?: Field['label'];
  readonly name: string;
}

type Inputs = Pick<Form, 'inputs'>;
type Labels = Pick<Form, 'fields' | 'inputs'>;

/** Plain text, without the links of a label. */
export function labelOf({ label, name }: Labelled, locale: Pick<Locale, 'text' | 'translate'>): string {
  return label === undefined ? labelFromName(name) : withoutLinks(labelText(label, locale));
}

/** `first_name` becomes "First name". */
export function labelFromName(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

export function labelParam(labelled: Labelled): Param {
  const { label } = labelled;
  if (typeof label === 'object') return 'code' in label ? label : textParam(label, withoutLinks);
  return labelOf(labelled, { text: firstWording, translate: ({ code }) => code });
}

export const labelText = (
  label: NonNullable<Field['label']>,
  { text, translate }: Pick<Locale, 'text' | 'translate'>,
): string => (typeof label === 'object' && 'code' in label ? translate(label) : text(label));

/**
 * Fixed sentences by purpose, instead of a type's general sentence. Lists of errors can show these without a label, including
 * those that equal the general sentence. A purpose is the last token of `autocomplete`, such as `shipping street-address`.
 */
const byPurpose: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  name: { missing: 'missing_name' },
  'given-name': { missing: 'missing_given_name' },
  'family-name': { missing: 'missing_family_name' },
  organization: { missing: 'missing_organization' },
  'organization-title': { missing: 'missing_job_title' },
  'street-address': { missing: 'missing_street' },
  'postal-code': { missing: 'missing_postal_code', wrong_format: 'wrong_postal_code' },
  'address-level2': { missing: 'missing_city' },
  'address-level1': { missing: 'missing_region' },
  country: { missing: 'missing_country', missing_option: 'missing_country_option' },
  bday: { missing: 'missing_bday', missing_date: 'missing_bday', not_a_date: 'not_a_bday' },
  email: {
    missing: 'missing_email',
    missing_email: 'missing_email',
    not_an_email: 'not_an_email',
    no_mail_address: 'no_mail_address',
  },
  tel: { missing: 'missing_tel', missing_tel: 'missing_tel', wrong_format: 'wrong_tel' },
  url: { missing: 'missing_url', missing_url: 'missing_url', not_a_url: 'not_a_url' },
  // HTML's autocomplete has no token for messages.
  'textarea message': { missing: 'missing_message' },
};

const sameAs = new Map([
  ['address-line1', 'street-address'],
  ['country-name', 'country'],
  ['tel-national', 'tel'],
]);

function purposeOf({ name, type, autocomplete }: Field): string | undefined {
  const token = /\S+$/.exec(autocomplete?.toLowerCase().trimEnd() ?? '')?.[0] ?? '';
  const purpose = sameAs.get(token) ?? token;
  if (Object.hasOwn(byPurpose, purpose)) return purpose;
  if (['email', 'tel', 'url'].includes(type)) return type;
  return type === 'textarea' && name === 'message' ? 'textarea message' : undefined;
}

/** The code of the fixed sentence for an error. The owner's general sentence overrides the relay's fixed one. */
function fixedCode(field: Field | undefined, general: string, { isOwn }: Locale): string | undefined {
  const purpose = field && purposeOf(field);
  const fixed = purpose === undefined ? undefined : byPurpose[purpose]?.[general];
  if (fixed === undefined || !isOwn) return fixed;
  if (fixed === general) return isOwn(fixed) ? undefined : fixed;
  return isOwn(fixed) || !isOwn(general) ? fixed : undefined;
}

export function errorWords(form: Inputs | undefined, error: FieldError, locale: Locale): string {
  const field = form?.inputs.find(({ name }) => name === error.field);
  const own = field?.ownWords?.(error, locale);
  if (own !== undefined) return own;
  const code = fixedCode(field, error.code, locale);
  return locale.translate(code === undefined ? error : { code });
}

/** The fixed sentence, if it is clear without a label because no other field has its purpose: "Enter your name." */
export function unlabelledError({ inputs }: Inputs, error: FieldError, locale: Locale): string | undefined {
  const field = inputs.find(({ name }) => name === error.field);
  if (!field || field.ownWords?.(error, locale) || !fixedCode(field, error.code, locale)) return undefined;
  const purpose = purposeOf(field);
  return inputs.filter((one) => purposeOf(one) === purpose).length === 1
    ? errorWords({ inputs }, error, locale)
    : undefined;
}

/** An error after the label of its field. A label may be a sentence, such as the one beside a checkbox. */
export function labelledError(form: Labels, error: FieldError, locale: Locale): string {
  const field = labelIn(form, error.field, locale).replace(/(?<=[^\s.:?。：？])[\s.:?。：？]+$/, '');
  const params: Message['params'] = { field, error: errorWords(form, error, locale) };
  return locale.translate({ code: 'field_error', params });
}

/** A field's label. Also accepts names that the form does not declare. */
export function labelIn({ fields, inputs }: Labels, name: string, locale: Locale): string {
  const isMeant = (field: Field) => field.name === name;
  const found = fields.find(isMeant) ?? inputs.find(isMeant) ?? { name };
  const owner = 'owner' in found ? found.owner : undefined;
  return owner ? `${labelOf(owner, locale)}, ${labelOf(found, locale)}` : labelOf(found, locale);
}
