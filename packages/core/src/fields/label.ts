/** What visitors read before a field. */
import { withoutLinks } from '../html/linked_text.ts';
import { type Locale, type Param, textParam } from '../messages/message.ts';
import type { Field } from './field.ts';

export interface Labelled {
  readonly label?: Field['label'];
  readonly name: string;
}

/** Plain text, without the links of a label. */
export function labelOf({ label, name }: Labelled, locale: Pick<Locale, 'text' | 'translate'>): string {
  return label === undefined ? labelFromName(name) : withoutLinks(labelText(label, locale));
}

/** `first_name` becomes "First name". */
export function labelFromName(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The label as a parameter of a message. */
export function labelParam(labelled: Labelled): Param {
  const { label } = labelled;
  if (typeof label === 'object') return 'code' in label ? label : textParam(label, withoutLinks);
  return labelOf(labelled, { text: String, translate: ({ code }) => code });
}

/** With its links. */
export const labelText = (
  label: NonNullable<Field['label']>,
  { text, translate }: Pick<Locale, 'text' | 'translate'>,
): string => (typeof label === 'object' && 'code' in label ? translate(label) : text(label));
