import { yamlOf } from './built/built_text.ts';
import { rawForms } from './form_languages.ts';
import { checkConfig } from './parse.ts';
import type { Problem } from './problem.ts';
import { formKeys } from './schema.ts';
import type { Pieces } from './split_forms.ts';
import { readDocument } from './yaml/document.ts';

/**
 * What is wrong with a few forms of a text, as it is told of the whole, in a fraction of the time and memory; `undefined`
 * where only the whole text tells.
 *
 * @param wrong Their places. All others were checked: they are left out, but for their line ends.
 * @param fine The names of the others.
 */
export function problemsOf(
  { around: [before, after], forms }: Pieces,
  wrong: ReadonlySet<number>,
  fine: ReadonlySet<string>,
  file: string,
): readonly Problem[] | undefined {
  const left = forms.map((form, place) => (wrong.has(place) ? form : form.replace(/[^\n]+/g, '')));
  const text = before + left.join('') + after;
  const document = readDocument(yamlOf(text));
  // A quote that is never closed goes on in the next form.
  if (!document.ok) return undefined;
  const names = Object.keys(rawForms(document.value.value));
  // One that is called like another; or a key of the form above, one level too high.
  const isAlone = (name: string) => !fine.has(name) && !Object.hasOwn(formKeys, name);
  if (names.length !== wrong.size || !names.every(isAlone)) return undefined;
  const checked = checkConfig(text, file);
  // What stands around the forms may lack in these what others have.
  const problems = checked.ok ? [] : checked.error;
  const areTheirs = problems.length > 0 && problems.every(({ path }) => /^forms[.[]/.test(path));
  return areTheirs ? problems : undefined;
}
