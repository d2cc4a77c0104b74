/** What was sent, as mails to visitors show it: nothing that somebody could send to strangers in the owner's name. */
import type { Field, Inputs, Locale, Submission, TemplateContext, Values } from '@form-relay/core/index';
import { isMap, isNumber, parseJson } from '@form-relay/core/kit';
import { type FilledIn, filledIn } from '@form-relay/more-outputs/filled_in';
import type { VisitorMail } from './keys.ts';

/** Fields whose values the config lists; numbers of a slider are checked against its steps. */
export const isListed = (field: Field): boolean =>
  field.offered !== undefined ||
  ['checkbox', 'consent', 'range'].includes(field.type) ||
  (field.inputs?.all.some(isListed) ?? false);

/** Whether the words of a mail may hold it: one value, and nothing typed. */
export const isInWords = (field: Field): boolean => isListed(field) && !field.inputs;

/** Chosen options as a browser sends them, each once: a stranger could repeat a word a thousand times in someone's mail. */
export function choicesIn(values: Values, fields: readonly Field[]): Values {
  const known = new Map(values);
  for (const field of fields) {
    const sent = values.get(field.name);
    if (sent && isListed(field) && field.type !== 'consent') known.set(field.name, chosenIn(field, sent));
  }
  return known;
}

function chosenIn({ type, offered, inputs, ...field }: Field, sent: readonly string[]): readonly string[] {
  if (inputs) return sent.flatMap((stored) => chosenAmong(inputs, stored));
  if (offered) return [...new Set(offered)].filter((value) => sent.includes(value));
  if (type === 'checkbox') {
    const { checked_value: ticked }: Readonly<Record<string, unknown>> = { ...field };
    return sent.filter((value) => value === ticked).slice(0, 1);
  }
  return [...new Set(sent)].filter(isNumber);
}

/** The stored value of a field of several inputs, without what was typed. */
function chosenAmong({ all }: Inputs, stored: string): readonly string[] {
  const columns = new Map(all.map((input) => [input.path?.at(-1), input]));
  const chosen = (entry: unknown) =>
    Object.fromEntries(
      Object.entries(isMap(entry) ? entry : {}).flatMap(([key, value]) =>
        isChosen(columns.get(key), value) ? [[key, Array.isArray(value) ? [...new Set(value)] : value]] : [],
      ),
    );
  const value = parseJson(stored);
  return value === undefined
    ? []
    : [JSON.stringify(Array.isArray(value) ? value.map(chosen) : chosen(value))];
}

function isChosen(input: Field | undefined, value: unknown): boolean {
  if (!input || !isListed(input)) return false;
  if (input.offered) return [value].flat().every((one) => input.offered?.includes(String(one)));
  return input.type === 'checkbox' ? typeof value === 'boolean' : typeof value === 'number';
}

/** With `choices`, nothing that was typed is among it: what passes for a choice was one of the form's own words. */
export function copyOf(
  { copy }: Pick<VisitorMail, 'copy'>,
  { form, values }: Submission,
  context: TemplateContext,
  locale: Locale,
): readonly FilledIn[] {
  if (copy === undefined) return [];
  const fields = copy === 'all' ? form.fields : form.fields.filter(isListed);
  const shown = copy === 'all' ? values : choicesIn(values, fields);
  return filledIn(
    { mapping: undefined, static: undefined },
    { fields, locale },
    { values: shown, templateContext: context },
  );
}
