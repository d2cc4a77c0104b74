import * as v from 'valibot';
import type { Form } from '../form.ts';
import { buildForm, type Common } from './build_form.ts';
import { inItsLanguages } from './form_languages.ts';
import type { InLanguage } from './in_language.ts';
import { formSchema } from './schema.ts';

/** A form of a config that `checkConfig` found fine, from what is written. `config`: its keys beside `forms`. */
export function makeForm(id: string, raw: unknown, config: unknown, common: Common): Form {
  const written = inItsLanguages(raw, config);
  const read = ({ written }: Pick<InLanguage, 'written'>) => v.parse(formSchema, written);
  const first = read(written?.first ?? { written: raw });
  const others = [...(written?.others ?? [])].map(([tag, one]) => [tag, read(one)] as const);
  return buildForm(id, { languages: written?.languages ?? [], first, others: new Map(others) }, common);
}
