import { err, ok, type Result } from '../base/result.ts';
import { othersTurn } from '../base/turns.ts';
import { yamlOf } from './built/built_text.ts';
import type { ParseLarge } from './cache.ts';
import { type CheckedForm, checkForms, namedTogether, type Top } from './checked_forms.ts';
import { rawForms } from './form_languages.ts';
import { FormsWhenAsked } from './late_forms.ts';
import { loadNamedIn } from './late_parts.ts';
import { makeForm } from './make_form.ts';
import {
  checkConfig,
  explain,
  makeCommon,
  makeConfig,
  type ParseResult,
  parseInLanguages,
  readNamed,
} from './parse.ts';
import type { Problem } from './problem.ts';
import { formKeys } from './schema.ts';
import type { ReadBeside } from './source.ts';
import { readDocument } from './yaml/document.ts';

/**
 * So many characters of forms are parsed at once, in some 3 ms of a core, which is 50 ms at Lambda's share of one; or twice what
 * stands around the forms, which is parsed with each slice.
 */
const usual = { characters: 4_096, timesAround: 2 };

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
export function createPiecesParser(slice = usual): ParseLarge {
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
  slice: typeof usual,
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
    const problems = await problemsOf(pieces, wrong, names, file);
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

/** A config's text in pieces: what stands around its forms, and the forms, each by itself. */
export interface Pieces {
  /** As far as the line `forms:`, and all that follows the last form. */
  readonly around: readonly [before: string, after: string];
  readonly forms: readonly string[];
}

/**
 * Splits a text in block style, as nearly all configs are written; `undefined` for all others, which are read as a whole.
 * Nothing is taken for a form that a YAML parser might see otherwise: below `forms:`, each line that is indented like the
 * first one begins a form. Text and lists that go over several lines are indented further; what is not is no key, or
 * leaves a piece that does not parse. An anchor anywhere might mean something in another piece.
 */
export function splitForms(text: string): Pieces | undefined {
  const [head, another] = text.matchAll(/^(?:forms|"forms"|'forms')[ \t]*:.*\r?\n?/gm);
  if (!head || another || !/^forms:[ \t]*(?:#.*)?\r?\n$/.test(head[0])) return undefined;
  if (/(?:^|[\s,[{:?-])&\S/m.test(text)) return undefined;
  const start = head.index + head[0].length;
  const begins: number[] = [];
  let indent = 0;
  let end = text.length;
  for (const line of text.slice(start).matchAll(linesOfContent)) {
    const [whole, { length: width } = '', first] = line;
    const at = start + line.index;
    if (first === '\t') return undefined;
    if (width === 0) {
      end = at;
      break;
    }
    indent ||= width;
    if (width < indent) return undefined;
    if (width > indent) continue;
    if (!formName.test(whole.slice(width))) return undefined;
    begins.push(at);
  }
  const after = text.slice(end);
  if (begins.length === 0 || /^(?:---|\.\.\.|%)/m.test(after)) return undefined;
  const forms = begins.map((at, number) => text.slice(at, begins[number + 1] ?? end));
  return { around: [text.slice(0, begins[0]), after], forms };
}

/** Each with its indent; `^` would see line ends that YAML does not. */
const linesOfContent = /(?<![^\n])( *)([^ \r\n#])[^\n]*\n?/g;

/** A key that YAML cannot take for anything else. Objects have numbers before all other names, in whatever order they were written. */
const formName = /^(?!["']?\d+["']?\s*:)(?:[^\s"'#&*!|>%@`,[\]{}?:-][^:#]*|"[^"\\]*"|'[^']*'):(?:\s|$)/;

/**
 * Findings in a few forms of a text, as they are told of the whole, in a fraction of the time and memory; `undefined`
 * where only the whole text tells.
 *
 * @param wrong Their places. All others were checked: they are left out, but for their line ends.
 * @param fine The names of the others.
 */
export async function problemsOf(
  { around: [before, after], forms }: Pieces,
  wrong: ReadonlySet<number>,
  fine: ReadonlySet<string>,
  file: string,
): Promise<readonly Problem[] | undefined> {
  const left = forms.map((form, place) => (wrong.has(place) ? form : form.replace(/[^\n]+/g, '')));
  const text = before + left.join('') + after;
  const document = readDocument(yamlOf(text));
  // A quote that is never closed goes on in the next form.
  if (!document.ok) return undefined;
  const names = Object.keys(rawForms(document.value.value));
  // A second form of the same name; or a key of the form above, one level too high.
  const isAlone = (name: string) => !fine.has(name) && !Object.hasOwn(formKeys, name);
  if (names.length !== wrong.size || !names.every(isAlone)) return undefined;
  const checked = checkConfig(text, file);
  // The text around the forms may lack in these what others have.
  const problems = checked.ok ? [] : await explain(checked.error);
  const areTheirs = problems.length > 0 && problems.every(({ path }) => /^forms[.[]/.test(path));
  return areTheirs ? problems : undefined;
}
