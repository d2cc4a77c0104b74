import type { Result } from '@form-relay/core/base/result';
import { readPage } from '../check/markup.ts';
import { chooseForm } from './choose_form.ts';
import { type MovedForm, readForm } from './read_form.ts';
import { openMistakeFinder } from './taken_keys.ts';

/** Reads a form of a page, which `wanted` names where there are several. The error says why there is none. */
export async function moveIn(
  text: string,
  wanted: string | undefined,
  url?: URL,
): Promise<Result<MovedForm, string>> {
  const page = await readPage(text);
  const chosen = chooseForm(page, text, wanted);
  return chosen.ok ? readForm(chosen.value, page, text, url, await openMistakeFinder()) : chosen;
}
