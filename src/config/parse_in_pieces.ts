import { err, ok, type Result } from '../result.ts';
import { othersTurn } from '../turns.ts';
import type { ParseLarge } from './cache.ts';
import { type CheckedForm, checkForms, namedTogether, type Top } from './checked_forms.ts';
import { FormsWhenAsked } from './late_forms.ts';
import { loadNamedIn } from './late_parts.ts';
import { makeForm } from './make_form.ts';
import { makeCommon, makeConfig, type ParseResult, parseInLanguages, readNamed } from './parse.ts';
import type { Problem } from './problem.ts';
import type { ReadBeside } from './source.ts';
import { type Pieces, splitForms } from './split_forms.ts';
import { problemsOf } from './wrong_forms.ts';

/** How many forms are parsed at once. */
export interface SliceSize {
  /** So many characters take some 3 ms of a core, which is 50 ms at Lambda's share of one. */
  readonly characters: number;
  /** What stands around the forms is parsed with each slice: it shall be no larger than this share of one. */
  readonly timesAround: number;
}

const usual: SliceSize = { characters: 4_096, timesAround: 2 };

/** The last good text. */
interface Last {
  readonly around: string;
  readonly top: Top;
  /** By what is written. */
  readonly forms: ReadonlyMap<string, CheckedForm>;
}

/** Beyond so many characters of forms that are wrong, the whole is as quick. */
const mostWrong = 65_536;

/**
 * Parses a text some forms at a time, with the result of `parseInLanguages` (D133): other work has its turn between them,
 * what the parser makes of the whole is never in memory at once, and forms that have not changed are not parsed again. Nor
 * are all forms in memory as they are used: each is built when it is asked for (D154). A text that cannot be split is
 * parsed as a whole, and so is one with mistakes beside its forms, for the words about them.
 */
export function createPiecesParser(slice: SliceSize = usual): ParseLarge {
  let last: Last | undefined;
  return async (text, file, _log, read) => {
    const pieces = splitForms(text);
    const checked = pieces && (await checkPieces(pieces, slice, text, file, last));
    if (checked?.ok === false) return ok(checked);
    const result = checked && (await build(checked.value, text, file, read));
    if (!result) return ok(await parseInLanguages(text, file, read));
    last = checked.value;
    return ok(result);
  };
}

/** `undefined` where only the whole text tells what it is. */
async function checkPieces(
  pieces: Pieces,
  slice: SliceSize,
  text: string,
  file: string,
  last: Last | undefined,
): Promise<Result<Last, readonly Problem[]> | undefined> {
  await loadNamedIn(text);
  const {
    around: [before, after],
    forms,
  } = pieces;
  const around = before + after;
  const known = last?.around === around ? last : undefined;
  const most = Math.max(slice.characters, slice.timesAround * around.length);
  let top = known?.top;
  const byText = new Map<string, CheckedForm>();
  const wrong = new Set<number>();
  let wrongSize = 0;
  for (let at = 0, from = 0; at < forms.length; from = at) {
    const same = known?.forms.get(forms[at] ?? '');
    if (same) {
      byText.set(forms[at] ?? '', same);
      at += 1;
      continue;
    }
    let size = 0;
    for (; at < forms.length && size < most && !known?.forms.has(forms[at] ?? ''); at += 1)
      size += forms[at]?.length ?? 0;
    await othersTurn();
    const some = forms.slice(from, at);
    // A piece that is wrong by itself may be right as a part of the whole.
    const checked = checkForms(before + some.join('') + after, file);
    if (checked.ok && checked.value.forms.length === some.length) {
      top ??= checked.value.top;
      for (const [number, form] of checked.value.forms.entries()) byText.set(some[number] ?? '', form);
      continue;
    }
    wrongSize += size;
    if (wrongSize > mostWrong) return undefined;
    for (const number of some.keys()) wrong.add(from + number);
  }
  await othersTurn();
  const names = new Set([...byText.values()].map(({ notes }) => notes.id));
  // One of two that are called or written alike.
  if (names.size !== forms.length - wrong.size) return undefined;
  if (wrong.size > 0) {
    const problems = problemsOf(pieces, wrong, names, file);
    return problems && err(problems);
  }
  return top && ok({ around, top, forms: byText });
}

/** `undefined` where files beside the config are wrong, which the whole text tells. */
async function build(
  { top, forms }: Last,
  text: string,
  file: string,
  read: ReadBeside,
): Promise<ParseResult | undefined> {
  const beside = await readNamed({ named: namedTogether([...forms.values()]) }, '', file, read);
  if (!beside.ok) return undefined;
  const common = makeCommon(top.parsed, beside.value);
  const byId = new Map([...forms.values()].map((form) => [form.notes.id, form]));
  const late = new FormsWhenAsked(byId, (id, written) =>
    makeForm(id, JSON.parse(written), top.written, common),
  );
  return ok(makeConfig(text, file, top.parsed, late, beside.value));
}
