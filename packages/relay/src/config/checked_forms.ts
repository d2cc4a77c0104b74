import { ok, type Result } from '../base/result.ts';
import { noLists } from '../schema/lists/list.ts';
import { buildForm, createCommon, inEnglish } from './build_form.ts';
import { fontsNamedIn } from './fonts.ts';
import { english, languagesNamedIn } from './languages.ts';
import type { WrittenForm } from './late_forms.ts';
import { listsNamedIn } from './lists.ts';
import { notesOf } from './needed_variables.ts';
import { checkConfig, type Named } from './parse.ts';
import type { Rejected } from './rejected.ts';
import type { ParsedTop } from './schema.ts';

/** The keys around the forms, as written and as parsed. */
export interface Top {
  readonly written: object;
  readonly parsed: ParsedTop;
}

export interface CheckedForm extends WrittenForm {
  readonly named: Named;
}

export interface CheckedForms {
  readonly top: Top;
  readonly forms: readonly CheckedForm[];
}

/**
 * Checks the forms of a text; returns its problems if there are any. Load the parts that it may name before
 * (late_parts.ts).
 */
export function checkForms(text: string, file: string): Result<CheckedForms, Rejected> {
  const checked = checkConfig(text, file);
  if (!checked.ok) return checked;
  const { forms: rawForms, ...written } = checked.value.value as { forms: Record<string, unknown> };
  const { forms: _, ...parsed } = checked.value.parsed;
  // The variables that a form needs depend on no language or list.
  const common = createCommon(parsed, english, noLists);
  const forms = [...checked.value.forms].map(([id, form]): CheckedForm => {
    const raw = rawForms[id];
    return {
      written: JSON.stringify(raw),
      named: {
        languages: languagesNamedIn({ ...written, forms: { [id]: raw } }),
        lists: listsNamedIn({ ...parsed, forms: new Map([[id, form.first]]) }),
        fonts: fontsNamedIn(parsed, [[id, form]]),
      },
      notes: notesOf(buildForm(id, inEnglish(form.first), common)),
    };
  });
  return ok({ top: { written, parsed }, forms });
}

/** The union of what the forms name. */
export function namedTogether(forms: readonly CheckedForm[]): Named {
  const languages = forms.flatMap(({ named }) => named.languages ?? []);
  const [first] = languages;
  const lists = forms.flatMap(({ named }) => named.lists);
  const fonts = forms.flatMap(({ named }) => named.fonts ?? []);
  return {
    languages: first && { tags: [...new Set(languages.flatMap(({ tags }) => tags))], files: first.files },
    lists: [...new Map(lists.map((list) => [JSON.stringify(list), list])).values()],
    fonts: fonts[0] && { files: fonts[0].files, forms: fonts.flatMap(({ forms }) => forms) },
  };
}
