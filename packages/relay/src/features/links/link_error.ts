import type { FieldError } from '../../base/outcome.ts';
import type { Field } from '../../fields/field.ts';
import { sentByParts } from '../../fields/stored_value.ts';
import type { Passage } from '../../form.ts';
import { checkFields } from '../validation.ts';

/** Validates a link's values for this field alone. Visitors complete fields that are not locked. */
export async function linkError(
  field: Field,
  values: readonly string[],
  isLocked: boolean,
  { form, effects }: Pick<Passage, 'form' | 'effects'>,
): Promise<FieldError | undefined> {
  const { name, parts } = field;
  if (!parts && values.includes('')) return { field: name, ...field.missing };
  const sent = new Map(parts ? sentByParts(field, values[0] ?? '') : [[name, values]]);
  const alone = { ...form, fields: [{ ...field, visible_when: undefined }] };
  const asked = parts && !isLocked ? [...sent.keys()] : (parts?.all ?? []).map((part) => part.name);
  const names = new Set([name, ...asked]);
  const ending = await checkFields(names, { values: sent, files: new Map() }, { form: alone, effects });
  const found = ending?.kind === 'invalid' ? ending.errors : [];
  const errors = found.filter(({ code }) => isLocked || code !== 'too_few_items');
  return errors.find((error) => error.field === name) ?? errors[0];
}
