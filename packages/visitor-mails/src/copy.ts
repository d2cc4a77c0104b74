/**
 * Selects the submitted values that mails to visitors may show: nothing that somebody could send to strangers in the
 * owner's name.
 */
import type { Field, Values } from '@form-relay/core/index';
import { isNumber } from '@form-relay/schema/scalars';

/** Whether the words of a mail may hold it: one value of those that the config lists, or a number of a slider. */
export const isInWords = (field: Field): boolean =>
  !field.inputs && (field.offered !== undefined || ['checkbox', 'consent', 'range'].includes(field.type));

/** Chosen options as a browser sends them, each once: a stranger could repeat a word a thousand times in someone's mail. */
export function choicesIn(values: Values, fields: readonly Field[]): Values {
  const known = new Map(values);
  for (const field of fields) {
    const sent = values.get(field.name);
    if (sent && isInWords(field) && field.type !== 'consent') known.set(field.name, chosenIn(field, sent));
  }
  return known;
}

function chosenIn({ type, offered, ...field }: Field, sent: readonly string[]): readonly string[] {
  if (offered) return [...new Set(offered)].filter((value) => sent.includes(value));
  if (type === 'checkbox') {
    const { checked_value: ticked }: Readonly<Record<string, unknown>> = { ...field };
    return sent.filter((value) => value === ticked).slice(0, 1);
  }
  return [...new Set(sent)].filter(isNumber);
}
