import { yieldToEventLoop } from '../base/event_loop.ts';
import { err, ok, type Result } from '../base/result.ts';
import { makeForm } from './build_form.ts';
import { yamlOf } from './built/built_text.ts';
import type { ParseLarge } from './cache.ts';
import { type CheckedForm, checkForms, namedTogether, type Top } from './checked_forms.ts';
import { rawForms } from './form_languages.ts';
import { FormsWhenAsked } from './late_forms.ts';
import { loadNamedIn } from './late_parts.ts';
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
 * The characters of forms in a slice: about 3 ms of a core, or 50 ms at Lambda's share of one. If the text around the
 * forms is long, which is parsed with each slice, a slice has twice its length.
 */
const usual = { characters: 4_096, timesAround: 2 };

/** The last valid text. */
interface Last {
  readonly around: string;
  readonly top: Top;
  /** By their text. */
  readonly forms: ReadonlyMap<string, CheckedForm>;
}

/** If more characters are in invalid forms, parsing the whole is as fast. */
const mostWrong = 65_536;

/**
 * Parses a text in slices of forms, with the result of `parseInLanguages`: other work runs between slices, the
 * parser's output for the whole is never in memory, and unchanged forms are not parsed again. Forms are built on demand.
 * A text that cannot be split is parsed as a whole, as is one with mistakes outside its forms.
 */
export function createIncrementalParser(slice = usual): ParseLarge {
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

/** `undefined` if only the whole text gives the answer. */
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
    await yieldToEventLoop();
    const some = forms.slice(from, at);
    // A slice that is invalid alone may be valid within the whole.
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
  await yieldToEventLoop();
  const names = new Set([...byText.values()].map(({ notes }) => notes.id));
  // Two forms have the same name or text.
  if (names.size !== forms.length - wrong.size) return undefined;
  if (wrong.size > 0) {
    const problems = await problemsOf(pieces, wrong, names, file);
    return problems && err(problems);
  }
  return top && ok({ around, top, forms: byText });
}

/** `undefined` if files beside the config are invalid; the whole text then gives the problems. */
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

/** A config's text, split at its forms. */
export interface Pieces {
  /** The text through the line `forms:`, and the text after the last form. */
  readonly around: readonly [before: string, after: string];
  readonly forms: readonly string[];
}

/**
 * Splits a text in block style, as nearly all configs are; `undefined` for others. Nothing becomes a form that a YAML
 * parser might read otherwise: below `forms:`, each line indented like the first starts a form. Multi-line texts and
 * lists are indented further; anything else is no key, or makes a slice that does not parse. An anchor might be used in
 * another slice.
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

/** Lines with their indentation; `^` would also match line ends that are none in YAML. */
const linesOfContent = /(?<![^\n])( *)([^ \r\n#])[^\n]*\n?/g;

/** An unambiguous YAML key. Excludes numbers, which JavaScript objects put before all other names. */
const formName = /^(?!["']?\d+["']?\s*:)(?:[^\s"'#&*!|>%@`,[\]{}?:-][^:#]*|"[^"\\]*"|'[^']*'):(?:\s|$)/;

/**
 * Reports the problems of a few forms as for the whole text, in a fraction of the time and memory; `undefined` if only
 * the whole text gives them.
 *
 * @param wrong The places of the invalid forms; valid forms are replaced by their line ends.
 * @param fine The names of the valid forms.
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
  // An unclosed quote continues in the next form.
  if (!document.ok) return undefined;
  const names = Object.keys(rawForms(document.value.value));
  // A duplicate form name, or an outdented key of the form above.
  const isAlone = (name: string) => !fine.has(name) && !Object.hasOwn(formKeys, name);
  if (names.length !== wrong.size || !names.every(isAlone)) return undefined;
  const checked = checkConfig(text, file);
  // The keys around the forms may refer to forms left out here.
  const problems = checked.ok ? [] : await explain(checked.error);
  const areTheirs = problems.length > 0 && problems.every(({ path }) => /^forms[.[]/.test(path));
  return areTheirs ? problems : undefined;
}
