/** Hides the secrets of a text that is not YAML. Its structure is uncertain: in doubt, this hides too much. */
import { isVariable, mask, openNames, soundFinder, wayToSignIn } from './mask.ts';

/**
 * Hides what follows the key of a secret or an anchor, up to a line that surely starts something else. Keeps the length of
 * the text.
 */
export function hideBroken(text: string): string {
  const secretIn = secretFinder();
  let open: readonly Secret[] = [];
  const lines = text.split('\n').map((line) => {
    const above = open.filter((one) => !isNext(line, one));
    const own = secretIn(line);
    const from = above.length > 0 ? Math.min(...above.map((one) => shownOf(line, one))) : own?.start;
    const all = [...above.map((one) => below(one, line)), ...(own ? [own] : [])];
    open = all.map((one) => ({ ...one, ...pendingAfter(line, one) }));
    if (open.length > mostOpen) open = open.slice(0, 1).map((one) => ({ ...one, depth: Infinity }));
    if (from === undefined) return line;
    return line.slice(0, from) + line.slice(from).replace(/\S.*\S|\S/s, mask);
  });
  return lines.join('\n');
}

/** Several are open where a quote never closes, or seems not to. Beyond these, all of the text is hidden. */
const mostOpen = 20;

/** A secret that goes on in a line: a list of variables ends with its items. */
const below = (one: Secret, line: string): Secret => ({
  ...one,
  isOfVariables: one.isOfVariables && /^\s*- [^:]*$/.test(line),
});

/** The quotes and brackets that a line leaves open. */
interface Pending {
  /** The quote of a text that goes on in the next line; empty if none does. */
  readonly quote: '' | '"' | "'";
  /** How many more brackets and braces were opened than closed. */
  readonly depth: number;
}

interface Secret extends Pending {
  /** Where to hide its line from. */
  readonly start: number;
  /** The indentation of its key, or of its line if the key is in braces. Tabs have no width. */
  readonly column: number;
  /** The lines that may follow in the same column: none, unless the value surely ends on its own line. */
  readonly next: readonly Start[];
  /** Whether a list of variables stands below. */
  readonly isOfVariables: boolean;
}

type Start = 'key' | 'item';

/** Whether a line surely starts something else: a plain key further left, or below a complete value. */
function isNext(line: string, { quote, depth, column, next }: Secret): boolean {
  const [, indent, dash] = /^( *)(- )?(?:- )*(?:(?<=- )\{ ?)?[a-z_]{1,64}:(?: |\r?$)/.exec(line) ?? [];
  if (indent === undefined || quote !== '' || depth > 0) return false;
  return indent.length < column || (indent.length === column && next.includes(dash ? 'item' : 'key'));
}

/** The key of a hidden line, if it is that of a secret or has the form of a header's name. */
const openKey = new RegExp(
  `^\\s*(?:# *)?(?:- )*["']?(?:${openNames.join('|')}|[A-Z][a-z]*(?:-[A-Z][a-z]*)*)["']? ?:(?= )`,
);

/** How much of a hidden line may be shown. */
function shownOf(line: string, { quote, isOfVariables }: Secret): number {
  if (quote !== '') return 0;
  const [, variable = ''] = /^\s*- +["']?(\w+)["']?\s*$/.exec(line) ?? [];
  return isOfVariables && isVariable(variable) ? line.length : (openKey.exec(line)?.[0].length ?? 0);
}

/** Follows quotes at the start of a word, and brackets outside of them. */
function pendingAfter(line: string, { quote, depth }: Pending): Pending {
  let pending: Pending = { quote, depth };
  for (let at = 0; ; ) {
    const marks = marksIn[pending.quote];
    marks.lastIndex = at;
    const found = marks.exec(line);
    if (!found) return pending;
    const [mark] = found;
    at = found.index + mark.length;
    pending = pendingAfterMark(mark, pending);
  }
}

function pendingAfterMark(mark: string, { quote, depth }: Pending): Pending {
  if (quote !== '') return { quote: mark === quote ? '' : quote, depth };
  if (mark === '"' || mark === "'") return { quote: mark, depth };
  return { quote, depth: Math.max(0, depth + ('[{'.includes(mark) ? 1 : -1)) };
}

/** The marks that count outside and inside of quotes, and escaped quotes. */
const marksIn = { '': /(?<![^\s:,[{?-])["']|[[\]{}]/g, '"': /\\.|"/g, "'": /''?/g };

/** Finds the first secret or anchor of a line. */
function secretFinder(): (line: string) => Secret | undefined {
  const soundOf = soundFinder();
  const isSecret = (word: Word): boolean => {
    const { key, mark, before, rest } = word;
    if (key === undefined) return true;
    if (mark === ':' && key.endsWith('_env')) return !holdsVariables(word);
    if (mark === ':') return soundOf(key) !== undefined && !(key === 'auth' && wayToSignIn.test(rest));
    // The colon is missing, or stands in the next line. A list item alone may be the name of a field.
    if (mark === '' && rest.trim() !== '') return openNames.includes(key) && lineStart.test(before);
    return soundOf(key) !== undefined && (mark === '=' ? keyStart : keyStartAlone).test(before);
  };
  return (line) => {
    for (const { 0: match, 1: key, 2: mark = '', index } of line.matchAll(words)) {
      const start = index + match.length;
      const before = index > longest ? `…${line.slice(index - longest, index)}` : line.slice(0, index);
      const word = { key, mark, before, rest: line.slice(start, start + longest) };
      if (!isSecret(word)) continue;
      const isInBraces = key === undefined || !lineStart.test(before);
      const [indent] = (isInBraces ? /^ */ : /^ *(?:- +)*/).exec(line) ?? [''];
      const isHeaders = key !== undefined && soundOf(key) === 'headers';
      const next = nextOf(line.slice(indent.length), word, isInBraces, isHeaders);
      const isOfVariables = (key ?? '').endsWith('_env') && word.rest.trim() === '';
      return { quote: '', depth: 0, start, column: indent.length, next, isOfVariables };
    }
    return undefined;
  };
}

/** A word that may be a key, or an anchor if there is none. */
interface Word {
  readonly key: string | undefined;
  readonly mark: string;
  readonly before: string;
  readonly rest: string;
}

/** The lines that may follow in the column of this one. None may follow headers, which often are not indented. */
function nextOf(
  line: string,
  { key, rest }: Word,
  isInBraces: boolean,
  isHeaders: boolean,
): readonly Start[] {
  if (line.startsWith('#')) return ['key', 'item'];
  if (isHeaders) return [];
  const isEmpty = (key === undefined || key.endsWith('_env')) && rest.trim() === '';
  const isOver = isEmpty || value.test(rest) || (isInBraces && isClosed(line));
  return isOver ? [line.startsWith('-') ? 'item' : 'key'] : [];
}

/** The parts of a line around a key that are looked at. A line can have megabytes. */
const longest = 2_000;

/** Anchors, and words that may be keys. The limit exceeds all keys of secrets. */
const words = /(?<![^\s,[{])&[^\s&;,[\]{}]+(?![^\s,[\]{}])|(?<![\w-])([\w-]{1,64})["']?\s*([:=]?)/g;
const lineStart = /^[\s?-]*["']?$/;
const keyStart = /^[\s?-]*["']?$|[{[,]\s*["']?$/;
const keyStartAlone = /^[\s?]*["']?$|[{[,]\s*["']?$/;

/** A value that ends on its line: in quotes, or plain without marks that mean something to YAML. */
const value =
  /^\s+(?:"(?:\\.|[^"\\]){0,999}"|'(?:''|[^']){0,999}'|[^\s"'&*!|>{}[\]`@%#,?][^{}[\]`@]{0,999})\s*(?:#.*)?$/;

/** Whether all brackets and quotes of a line that ends in one are closed. */
function isClosed(line: string): boolean {
  const { quote, depth } = pendingAfter(line, { quote: '', depth: 0 });
  return quote === '' && depth === 0 && /[\]}]\s*$/.test(line);
}

/** Whether the text behind a key that ends in `_env` is the name of a variable, or a list of some. */
function holdsVariables({ before, rest }: Word): boolean {
  const { list, name } = (lineStart.test(before) ? names : namesInBraces).exec(rest)?.groups ?? {};
  return (
    (name ?? list)?.split(',').every((one) => isVariable(one.replaceAll(/^\s*["']?|["']?\s*$/g, ''))) ?? false
  );
}

const oneOrSeveral = String.raw`^\s*(?:\[(?<list>[^\]]*)|(?<quote>["']?)(?<name>\w+)\k<quote>)(?:\s|[\]},])*`;
const names = new RegExp(String.raw`${oneOrSeveral}(?:(?<=\s)#.*)?$`);
const namesInBraces = new RegExp(String.raw`${oneOrSeveral}(?:(?<=\s)#.*|["']?[\w-]+["']?\s*:.*)?$`);
