import { checkbox } from './checkbox.ts';
import { checkboxes } from './checkboxes.ts';
import { date } from './date.ts';
import { email } from './email.ts';
import { hidden } from './hidden.ts';
import { number } from './number.ts';
import { radios } from './radios.ts';
import { select } from './select.ts';
import { tel } from './tel.ts';
import { text } from './text.ts';
import { textarea } from './textarea.ts';
import { url } from './url.ts';

type FieldType = typeof text;

/** Those that every relay has at hand. Adding one is one file and one line here. */
const atHand: readonly FieldType[] = [
  text,
  email,
  textarea,
  hidden,
  url,
  tel,
  number,
  date,
  select,
  radios,
  checkboxes,
  checkbox,
];

export const defaultFieldType: FieldType = text;

const later: Readonly<Record<string, () => Promise<FieldType>>> = {
  file: async () => (await import('./file.ts')).file,
};

const loaded = new Map(atHand.map((one) => [one.type, one]));

/** All that a config may name, whether it was read or not. */
export const fieldTypeNames: readonly string[] = [...loaded.keys(), ...Object.keys(later)];

/** Of this name, if it is known and was read. */
export const fieldTypeOf = (name: unknown): FieldType | undefined =>
  typeof name === 'string' ? loaded.get(name) : undefined;

export const fieldTypes = (): readonly FieldType[] => [...loaded.values()];

export async function loadFieldTypes(mayName: (name: string) => boolean): Promise<void> {
  for (const [name, load] of Object.entries(later)) {
    if (!loaded.has(name) && mayName(name)) loaded.set(name, await load());
  }
}
