import type { Form } from '../form.ts';
import { ok } from '../result.ts';
import { othersTurn } from '../turns.ts';
import { buildForm, type Common } from './build_form.ts';
import type { ParseLarge } from './cache.ts';
import { loadNamedIn } from './late_parts.ts';
import {
  type Beside,
  checkConfig,
  makeCommon,
  makeConfig,
  type Named,
  type ParseResult,
  parseInLanguages,
  readNamed,
} from './parse.ts';
import type { ParsedTop } from './schema.ts';
import type { ReadBeside } from './source.ts';
import { type Pieces, splitForms } from './split_forms.ts';

/** How many forms are parsed at once. */
export interface SliceSize {
  /** So many characters take some 3 ms of a core, which is 50 ms at Lambda's share of one. */
  readonly characters: number;
  /** What stands around the forms is parsed with each slice: it shall be no larger than this share of one. */
  readonly timesAround: number;
}

const usual: SliceSize = { characters: 4_096, timesAround: 2 };

/** What the forms of a text have in common. */
interface Shared {
  readonly top: ParsedTop;
  readonly beside: Beside;
  readonly common: Common;
  /** As text: which languages and lists are named. */
  readonly named: string;
}

/** The last good text. */
interface Last {
  readonly around: string;
  readonly shared: Shared;
  /** By what is written. */
  readonly forms: ReadonlyMap<string, Form>;
}

/**
 * Parses a text some forms at a time, with the result of `parseInLanguages` (D133): other work has its turn between them,
 * what the parser makes of the whole is never in memory at once, and forms that have not changed are those of the last
 * text. A text that cannot be split is parsed as a whole, and so is one with mistakes, for the words about them.
 */
export function createPiecesParser(slice: SliceSize = usual): ParseLarge {
  let last: Last | undefined;
  return async (text, file, _log, read) => {
    const pieces = splitForms(text);
    const parsed = pieces && (await parsePieces(pieces, slice, text, file, read, last));
    if (!parsed) return ok(await parseInLanguages(text, file, read));
    last = parsed.last;
    return ok(parsed.result);
  };
}

/** `undefined` where only the whole text tells what it is. */
async function parsePieces(
  { around: [before, after], forms }: Pieces,
  slice: SliceSize,
  text: string,
  file: string,
  read: ReadBeside,
  last: Last | undefined,
): Promise<{ readonly result: ParseResult; readonly last: Last } | undefined> {
  await loadNamedIn(text);
  const around = before + after;
  const known = last?.around === around ? last : undefined;
  const most = Math.max(slice.characters, slice.timesAround * around.length);
  let shared = known?.shared;
  const byText = new Map<string, Form>();
  for (let at = 0, from = 0; at < forms.length; from = at) {
    const same = known?.forms.get(forms[at] ?? '');
    if (same) {
      byText.set(forms[at] ?? '', same);
      at += 1;
      continue;
    }
    for (let size = 0; at < forms.length && size < most && !known?.forms.has(forms[at] ?? ''); at += 1)
      size += forms[at]?.length ?? 0;
    await othersTurn();
    const some = forms.slice(from, at);
    const checked = checkConfig(before + some.join('') + after, file);
    // It may be right as a whole: what stands around the forms may lack in these what others have.
    if (!checked.ok) return undefined;
    const { parsed, named, forms: found } = checked.value;
    if (found.size !== some.length) return undefined;
    shared ??= await share(parsed, named, file, read);
    if (shared?.named !== JSON.stringify(named)) return undefined;
    for (const [number, [id, form]] of [...found].entries())
      byText.set(some[number] ?? '', buildForm(id, form, shared.common));
  }
  await othersTurn();
  const all = new Map([...byText.values()].map((form) => [form.id, form]));
  // One of two that are called or written alike.
  if (!shared || all.size !== forms.length) return undefined;
  const result = ok(makeConfig(text, file, shared.top, all, shared.beside));
  return { result, last: { around, shared, forms: byText } };
}

/** `undefined` where files beside the config are wrong, which the whole text tells. */
async function share(
  top: ParsedTop,
  named: Named,
  file: string,
  read: ReadBeside,
): Promise<Shared | undefined> {
  const beside = await readNamed({ named }, '', file, read);
  if (!beside.ok) return undefined;
  return { top, beside: beside.value, common: makeCommon(top, beside.value), named: JSON.stringify(named) };
}
