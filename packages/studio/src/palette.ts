/** Each kind of part that a form can have, shown as the relay renders it. */
import { type Form, html } from '@form-relay/relay/base';
import { formStyle } from '@form-relay/relay/built/style';
import { decides, inspectInLanguages } from '@form-relay/relay/config';
import { fieldTypeNames, fieldTypes, isInWords, labelOf } from '@form-relay/relay/features';
import { formParts } from './form_parts.ts';
import type { Palette, PalettePart, Purpose } from './state.ts';

interface Known {
  readonly title: string;
  readonly purpose: Purpose;
  readonly words: string;
  /** Beside `name` and `type`. */
  readonly keys?: Readonly<Record<string, unknown>>;
}

const options = ['First choice', 'Second choice', 'Third choice'];

/** A type that is not here is shown under its own name, with nothing but that. */
const known: Readonly<Record<string, Known>> = {
  text: { title: 'Short text', purpose: 'Text', words: 'name company subject line string input' },
  textarea: { title: 'Long text', purpose: 'Text', words: 'message comment paragraph area several lines' },
  email: { title: 'E-mail', purpose: 'Text', words: 'email mail address', keys: { autocomplete: 'email' } },
  tel: { title: 'Telephone', purpose: 'Text', words: 'phone mobile number', keys: { autocomplete: 'tel' } },
  url: { title: 'Web address', purpose: 'Text', words: 'website link', keys: { autocomplete: 'url' } },
  select: {
    title: 'Drop-down list',
    purpose: 'Choice',
    words: 'dropdown menu options',
    keys: { label: 'Choose from a list', options },
  },
  radios: {
    title: 'One choice',
    purpose: 'Choice',
    words: 'radio buttons options',
    keys: { options },
  },
  checkboxes: {
    title: 'Several choices',
    purpose: 'Choice',
    words: 'boxes multiple options',
    keys: { label: 'Choose any', options },
  },
  checkbox: {
    title: 'Tick box',
    purpose: 'Choice',
    words: 'terms agree yes no single',
    keys: { label: 'I agree' },
  },
  consent: {
    title: 'Consent',
    purpose: 'Choice',
    words: 'terms agree privacy gdpr legal record wording',
    keys: { label: 'I agree to the terms' },
  },
  rating: { title: 'Rating', purpose: 'Choice', words: 'stars score review feedback' },
  scale: {
    title: 'Scale',
    purpose: 'Choice',
    words: 'likert nps opinion recommend score from 0 to 10',
    keys: { label: 'Would you recommend us?', low: 'Not at all likely', high: 'Very likely' },
  },
  range: { title: 'Slider', purpose: 'Choice', words: 'range number from to' },
  ranking: {
    title: 'Ranking',
    purpose: 'Choice',
    words: 'order sort priority drag preference favourite',
    keys: { label: 'Put these in order', options },
  },
  signature: {
    title: 'Signature',
    purpose: 'Choice',
    words: 'sign draw autograph contract name',
    keys: { label: 'Your signature' },
  },
  country: { title: 'Country', purpose: 'Choice', words: 'nation address land' },
  address: {
    title: 'Address',
    purpose: 'Text',
    words: 'street city postal zip code billing shipping delivery',
  },
  matrix: {
    title: 'Matrix',
    purpose: 'Choice',
    words: 'grid table likert questions rows radio',
    keys: { label: 'How was it?', rows: ['Service', 'Price'], options: ['Poor', 'Fair', 'Good'] },
  },
  repeat: {
    title: 'Entries that repeat',
    purpose: 'Layout',
    words: 'group guests list rows participants repeater several people',
    keys: { label: 'Who comes?', item: 'Guest {n}', fields: [{ name: 'name' }] },
  },
  number: { title: 'Number', purpose: 'Date and number', words: 'amount quantity integer how many' },
  computed: {
    title: 'Calculated number',
    purpose: 'Date and number',
    words: 'computed formula total sum price amount cost score quiz order',
    keys: { label: 'Total', formula: '2 * 80', currency: 'EUR' },
  },
  date: { title: 'Date', purpose: 'Date and number', words: 'day calendar birthday appointment' },
  time: { title: 'Time', purpose: 'Date and number', words: 'hour clock o’clock appointment opening hours' },
  datetime: {
    title: 'Date and time',
    purpose: 'Date and number',
    words: 'datetime appointment booking reservation slot',
  },
  month: { title: 'Month', purpose: 'Date and number', words: 'year calendar expiry' },
  file: { title: 'File', purpose: 'Files', words: 'upload attachment picture document pdf cv' },
  hidden: { title: 'Hidden value', purpose: 'Layout', words: 'campaign source secret invisible' },
};

/** Parts that are no fields of their own. */
const layout: readonly Omit<PalettePart, 'purpose'>[] = [
  {
    type: 'note',
    title: 'Note',
    says: 'Text between two fields, or after the last. It is sent nowhere.',
    words: 'text paragraph heading hint information',
    picture: String(html`<p class="field-note">A few words for the visitor.</p>`),
    value: { note: 'A few words for the visitor.' },
  },
  {
    type: 'group',
    title: 'Group',
    says: 'A heading around fields that belong together, such as an address.',
    words: 'section heading fieldset legend address',
    picture: String(
      html`<fieldset class="field-group"><legend>Heading</legend><p class="field-note">The fields of the group.</p></fieldset>`,
    ),
    value: undefined,
  },
  {
    type: 'step',
    title: 'Step',
    says: 'Shows the form one step at a time. The next step begins here.',
    words: 'page break wizard multi-step heading',
    picture: String(html`<section class="form-step"><h3 class="form-step-title">Next step</h3></section>`),
    value: undefined,
  },
];

const sampleOf = (type: string): { readonly name: string; readonly label?: string } => ({
  name: nameFor(type),
  ...(type === 'text' ? {} : { type }),
  ...known[type]?.keys,
});

/** A name that says more than the type does, where the type says little. */
const nameFor = (type: string) =>
  ({
    textarea: 'message',
    tel: 'phone',
    url: 'website',
    select: 'choice',
    radios: 'choice',
    checkboxes: 'choices',
    checkbox: 'consent',
  })[type] ?? type;

let made: Promise<Palette> | undefined;

/** Made once, when it is first asked for. */
export function palette(): Promise<Palette> {
  made ??= make();
  return made;
}

async function make(): Promise<Palette> {
  const values = fieldTypeNames.map(sampleOf);
  // In one form, names differ.
  const fields = values.map((value, index) => ({
    ...value,
    label: value.label ?? labelOf(value),
    name: `f${index}`,
  }));
  const outputs = [{ type: 'http_post', url: 'https://example.com/', mapping: '*' }];
  // JSON is YAML, too.
  const text = JSON.stringify({ forms: { palette: { fields, outputs } } });
  const parsed = await inspectInLanguages(text, 'palette', async () => ({ ok: false, error: '' }));
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join(' '));
  const form = parsed.value.forms.get('palette') as Form;
  const pictures = formParts(form).fields;
  const says = new Map(fieldTypes().map(({ type, summary }) => [type, summary]));
  const types = fieldTypeNames.map((type, index): PalettePart => {
    const { title = labelOf({ name: type }), purpose = 'Text', words = '' } = known[type] ?? {};
    const picture = form.fields[index]?.layout === 'bare' ? unseen : String(pictures[index]);
    const facts = { decides: decides(type), isInMails: isInWords({ type }) };
    return {
      type,
      title,
      purpose,
      words,
      says: says.get(type) ?? '',
      picture,
      value: values[index],
      ...facts,
    };
  });
  return {
    style: String(formStyle),
    parts: [...types, ...layout.map((part) => ({ ...part, purpose: 'Layout' as const }))],
  };
}

const unseen = String(html`<p class="field-note">Visitors do not see it.</p>`);
