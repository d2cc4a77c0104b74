/** Fixed sentences about a field: "Enter your name." instead of "Enter a value." */
import type { MessageCode } from '../messages/message.ts';
import type { Field } from './field.ts';

/** Maps a type's general sentence to the fixed one. */
type Sentences = Readonly<Partial<Record<MessageCode, MessageCode>>>;

/** Fixed sentences by purpose. Lists of errors can show these without a label, including the unchanged ones. */
const byPurpose = {
  name: { missing: 'missing_name' },
  given_name: { missing: 'missing_given_name' },
  family_name: { missing: 'missing_family_name' },
  organization: { missing: 'missing_organization' },
  job_title: { missing: 'missing_job_title' },
  street: { missing: 'missing_street' },
  postal_code: { missing: 'missing_postal_code', wrong_format: 'wrong_postal_code' },
  city: { missing: 'missing_city' },
  region: { missing: 'missing_region' },
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
  message: { missing: 'missing_message' },
} as const satisfies Readonly<Record<string, Sentences>>;

type Purpose = keyof typeof byPurpose;

/** By the last token of `autocomplete`, such as `shipping street-address`. */
const byAutocomplete: Readonly<Record<string, Purpose>> = {
  name: 'name',
  'given-name': 'given_name',
  'family-name': 'family_name',
  organization: 'organization',
  'organization-title': 'job_title',
  'street-address': 'street',
  'address-line1': 'street',
  'postal-code': 'postal_code',
  'address-level2': 'city',
  'address-level1': 'region',
  country: 'country',
  'country-name': 'country',
  bday: 'bday',
  email: 'email',
  tel: 'tel',
  'tel-national': 'tel',
  url: 'url',
};

function purposeOf({ name, type, autocomplete }: Field): Purpose | undefined {
  const token = /\S+$/.exec(autocomplete?.toLowerCase().trimEnd() ?? '')?.[0] ?? '';
  if (Object.hasOwn(byAutocomplete, token)) return byAutocomplete[token];
  if (type === 'email' || type === 'tel' || type === 'url') return type;
  // HTML has no autocomplete for messages.
  return type === 'textarea' && name === 'message' ? 'message' : undefined;
}

export interface FieldSentences {
  readonly codes: Sentences;
  /** Whether the purpose is unique in the form, so that the sentences need no label. */
  readonly areClear: boolean;
}

/**
 * @param isOwn Whether the owner replaced a sentence. The replacement wins over the fixed sentence, unless that was
 * replaced too.
 */
export function sentencesOf(
  fields: readonly Field[],
  isOwn: (code: MessageCode) => boolean,
): ReadonlyMap<string, FieldSentences> {
  const found = new Map<string, FieldSentences>();
  const purposes = fields.map(purposeOf);
  for (const [index, purpose] of purposes.entries()) {
    const field = fields[index];
    if (!field || !purpose) continue;
    const codes = Object.entries(byPurpose[purpose] as Sentences).filter(([general, fixed]) =>
      general === fixed ? !isOwn(fixed) : isOwn(fixed as MessageCode) || !isOwn(general as MessageCode),
    );
    const areClear = purposes.filter((one) => one === purpose).length === 1;
    if (codes.length > 0) found.set(field.name, { codes: Object.fromEntries(codes), areClear });
  }
  return found;
}

/** Sentences that languages may omit, because others replace them. */
export const optionalSentences: ReadonlySet<string> = new Set(
  Object.values<Sentences>(byPurpose).flatMap((codes) =>
    Object.values(codes).filter((code) => !Object.hasOwn(codes, code)),
  ),
);
