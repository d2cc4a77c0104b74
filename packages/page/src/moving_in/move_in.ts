import { err, ok, type Result } from '@form-relay/base/result';
import { spotFinder } from '@form-relay/yaml/show_problems';
import { nearest, type Page, type PageElement, readPage } from '../check/markup.ts';
import { controlsOf, quoteAll } from '../check/page_form.ts';
import { type MovedForm, readForm } from './read_form.ts';

/** Reads a form of a page, which `wanted` names where there are several. The error says why there is none. */
export async function moveIn(text: string, wanted: string | undefined): Promise<Result<MovedForm, string>> {
  const page = await readPage(text);
  const chosen = chooseForm(page, text, wanted);
  return chosen.ok ? readForm(chosen.value, page, text) : chosen;
}

/** The form that `wanted` names by its id, its name or its number, or the only one that is no search. */
function chooseForm(page: Page, text: string, wanted: string | undefined): Result<PageElement, string> {
  const all = [...page.forms.keys()];
  if (all.length === 0)
    return err('this page has no <form>; if a script creates the form, save the page from the browser');
  if (wanted !== undefined) {
    const found =
      all.find(({ attributes }) => attributes.get('id') === wanted) ??
      all.find(({ attributes }) => attributes.get('name') === wanted) ??
      (/^[1-9]\d*$/.test(wanted) ? all[Number(wanted) - 1] : undefined);
    return found ? ok(found) : err(`this page has no form "${wanted}"; it has\n${listed(all, page, text)}`);
  }
  const searchAround = nearest(
    ({ tag, attributes }) => tag === 'search' || attributes.get('role') === 'search',
  );
  const likely = all.filter((form) => !searchAround(form) && !isSearch(form, page));
  const [only] = all.length === 1 ? all : likely;
  if (only && (all.length === 1 || likely.length === 1)) return ok(only);
  return err(`this page has ${all.length} forms; say which one you mean\n${listed(all, page, text)}`);
}

function isSearch(form: PageElement, page: Page): boolean {
  const controls = controlsOf(page.forms.get(form) ?? []).filter(
    ({ kind }) => kind !== 'submit' && kind !== 'hidden',
  );
  return (
    form.attributes.get('method')?.toLowerCase() !== 'post' &&
    controls.length === 1 &&
    controls.every(({ kind, name }) => kind === 'search' || /^(q|s|query|search|keywords?)$/i.test(name))
  );
}

function listed(forms: readonly PageElement[], page: Page, text: string): string {
  const spotOf = spotFinder(text);
  const rows = forms.map((form, at) => {
    const { attributes, place } = form;
    const id = attributes.get('id') || attributes.get('name');
    const option = `--form ${id && /^[\w.-]+$/.test(id) ? id : at + 1}`;
    const names = controlsOf(page.forms.get(form) ?? []).map(({ name }) => name);
    const fields = quoteAll([...new Set(names)].filter(Boolean));
    return { option, about: `line ${spotOf(place.offset).lineNumber}, with ${fields || 'no fields'}` };
  });
  const width = Math.max(...rows.map(({ option }) => option.length));
  return rows.map(({ option, about }) => `  ${option.padEnd(width)}    ${about}`).join('\n');
}
