import type { Values } from '../../base/values.ts';
import type { Field as FormField } from '../../fields/field.ts';
import { asJson, fromJson, structureIn } from '../../fields/stored_value.ts';
import type { Form } from '../../form.ts';
import { type FilledIn, filledIn } from '../../outputs/filled_in.ts';
import { isMap, isNumber } from '../../schema/kinds.ts';
import type { Scope } from '../../schema/template/render.ts';
import { isListed } from './problems.ts';
import type { VisitorMail } from './visitor_mail.ts';

/** A `checkbox` has a `checked_value`. */
type Choosing = FormField & { readonly checked_value?: string | undefined };

/**
 * Chosen options as a browser sends them: each once, in the order of the config. Otherwise a stranger could repeat a word
 * a thousand times in someone's mail. Nothing else passes for a choice, though the field was one for a text
 * when the link of a mail was made that is clicked now.
 */
export function choicesIn(values: Values, fields: readonly Choosing[]): Values {
  const known = new Map(values);
  for (const field of fields) {
    const { name, type, options, checked_value: ticked } = field;
    const offered = options?.map(({ value }) => value) ?? (ticked === undefined ? undefined : [ticked]);
    const sent = values.get(name);
    if (!sent) continue;
    // A consent is stored in words of the relay's own.
    if (!offered && isListed(field) && type !== 'consent') known.set(name, chosenIn(field, sent));
    if (offered)
      known.set(
        name,
        [...new Set(offered)].filter((value) => sent.includes(value)),
      );
  }
  return known;
}

/**
 * What was sent, as the owner's mails show it, in the visitor's language. With `choices`, nothing that was typed is among it:
 * what passes for a choice was one of the form's own words.
 */
export function copyOf(
  { copy }: Pick<VisitorMail, 'copy'>,
  { title, ...form }: Pick<Form, 'id' | 'title' | 'language' | 'fields'>,
  values: Values,
  scope: Scope,
): readonly FilledIn[] {
  if (copy === undefined) return [];
  const isAll = copy === 'all';
  const fields = isAll ? form.fields : form.fields.filter(isListed);
  const shown = isAll
    ? values
    : choicesIn(
        listedIn(values, fields),
        fields.filter(({ parts }) => !parts),
      );
  const about = {
    ...form,
    title,
    fields,
    direction: 'ltr',
    pageLabel: '',
    doubtLabel: '',
    waitingLabel: '',
    tagSubject: '',
  } as const;
  return filledIn({ form: { ...about, doubtWords: (mark) => mark } }, { values: shown }, scope);
}

const listedIn = (values: Values, fields: readonly FormField[]): Values =>
  new Map(
    fields.flatMap((field) => {
      const chosen = chosenIn(field, values.get(field.name) ?? []);
      return chosen.length > 0 ? [[field.name, chosen] as const] : [];
    }),
  );

function chosenIn(field: FormField, sent: readonly string[]): readonly string[] {
  const { type, name, parts, possibleValues } = field;
  if (!parts)
    return [...new Set(sent)].filter((value) => {
      if (type === 'computed') return isNumber(value);
      return type === 'range' ? field.check([value]) === undefined : possibleValues?.includes(value);
    });
  const chosen = (item: unknown, itemName: string) =>
    Object.fromEntries(
      Object.entries(isMap(item) ? item : {}).flatMap(([key, value]) => {
        const part = parts.all.find((one) => one.name === `${itemName}.${key}`);
        const values = part ? chosenIn(part, fromJson(part, value)) : [];
        return values.length > 0 ? [[key, asJson(part, values)]] : [];
      }),
    );
  const structure = structureIn(sent[0] ?? '');
  // Entries without a choice stay, so that the others keep their numbers.
  const answers = Array.isArray(structure)
    ? structure.map((item, index) => chosen(item, `${name}.${index + 1}`))
    : chosen(structure, name);
  return [answers].flat().some((item) => Object.keys(item).length > 0) ? [JSON.stringify(answers)] : [];
}
