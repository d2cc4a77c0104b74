/** Guesses the sender and the message of a submission. Forms name their fields as they like, so names, labels and values tell. */

export interface NamedField {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  /** The field's type in the form, if known. */
  readonly type?: string | undefined;
}

/** A field of a form, with what the form knows of it. */
export type TypedField = Pick<NamedField, 'name' | 'type'>;

/** Empty where nothing tells. */
export interface Correspondent {
  readonly name: string;
  readonly email: string;
  readonly message: string;
}

export function correspondentOf(fields: readonly NamedField[]): Correspondent {
  const first = (isRight: (text: string, value: string) => boolean) =>
    fields
      .find(({ name, label, values: [value = ''] }) => value && isRight(`${name} ${label}`, value))
      ?.values[0]?.trim() ?? '';
  const email =
    first((text, value) => /e-?mail|correo|courriel/i.test(text) && isAddress(value)) ||
    first((_, value) => isAddress(value));
  const name = first(
    (text, value) => /\b(full.?)?name\b|\bnom(bre)?\b|\bnome\b/i.test(text) && !isAddress(value),
  );
  return { name, email, message: messageIn(fields, [name, email]) };
}

/** The first text of several lines that is filled in; else the longest text of several words. */
function messageIn(fields: readonly NamedField[], sender: readonly string[]): string {
  const long = fields.find(({ type, values: [value = ''] }) => type === 'textarea' && value.trim() !== '');
  const texts = fields.flatMap(({ values }) => values).filter((value) => !sender.includes(value.trim()));
  const longest = texts
    .filter((value) => /\S\s+\S/.test(value))
    .reduce((most, value) => (value.length > most.length ? value : most), '');
  return long?.values[0] ?? longest;
}

/** The message first, and the sender not again. */
export function summaryOf(values: readonly string[], sender: readonly string[], message: string): string {
  const others = values.filter((value) => value !== message && !sender.includes(value.trim()));
  return [message, ...others].filter(Boolean).join(' · ');
}

export const isAddress = (text: string): boolean =>
  text.length < 321 && /^[^\s@<>]+@[^\s@<>]+$/.test(text.trim());
