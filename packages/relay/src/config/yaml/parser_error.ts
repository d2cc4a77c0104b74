import { EVENT_ID, type Event, YAMLException } from 'js-yaml';
import { type Finding, finding, type PlainCode } from '../../schema/finding.ts';
import { type Misread, misread, type Refused } from './places.ts';
import { wrongColumn } from './wrong_column.ts';

export const misreadOf = (why: Misread | Refused): Misread =>
  'finding' in why ? why : explainComplaint(why);

/** Explains why the parser rejects a text. Leaves out what its message quotes, which may be a mistyped password. */
function explainComplaint({ error, text, events }: Refused): Misread {
  if (!(error instanceof YAMLException) || !error.mark) return misread(finding('yaml_unreadable', []));
  const offset = Math.min(error.mark.position, text.length);
  const [, code] = complaints.find(([words]) => words.test(error.reason)) ?? [];
  if (code === 'yaml_key_not_text') return complexKeyAt(complexKey(events) ?? offset, text);
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(lineStart).split('\n', 1)[0] ?? '';
  const refused = () => finding('yaml_refused', [], { complaint: error.reason.replace(/ ?["!<`'].*/s, '') });
  const above = text.slice(text.lastIndexOf('\n', lineStart - 2) + 1, Math.max(0, lineStart - 1));
  const before = mistakeBefore({ above, line, lineStart, column: offset - lineStart });
  if (before) return before;
  const misplaced = code && ofColumns.includes(code) ? wrongColumn(text, lineStart) : undefined;
  if (misplaced) return misplaced;
  const found = mistakeIn(line, offset - lineStart, above, code) ?? (code ? finding(code, []) : refused());
  const isTab = found.code === 'yaml_tab';
  return misread(found, { offset: isTab ? lineStart + line.indexOf('\t') : offset, length: 1 });
}

/**
 * The codes of parser messages. js-yaml throws one kind of error, which only its English text distinguishes: this is
 * the only place where code reads words.
 */
const complaints: readonly (readonly [words: RegExp, code: PlainCode])[] = [
  [/complex keys/, 'yaml_key_not_text'],
  [/duplicated mapping key/, 'yaml_key_twice'],
  [/name of an alias node/, 'yaml_star_unquoted'],
  [/unidentified alias/, 'yaml_alias_without_anchor'],
  [/\btag\b/, 'yaml_tag'],
  [/non-printable|JSON character/, 'yaml_control_character'],
  [/deficient indentation/, 'yaml_indented_too_little'],
  [/within a (double|single) quoted/, 'yaml_quote_never_closed'],
  [/stream within a flow/, 'yaml_bracket_never_closed'],
  [/missed comma|but found ','/, 'yaml_comma_missing'],
  [/escape sequence|hexadecimal/, 'yaml_escape_unknown'],
  [/multiline key|after a mapping key/, 'yaml_colon_missing'],
  [/bad indentation/, 'yaml_indented_differently'],
  [/maxDepth/, 'yaml_too_deep'],
  [/document separator is expected/, 'yaml_belongs_nowhere'],
];

/** The parser's messages for a line in the wrong column. */
const ofColumns: readonly PlainCode[] = [
  'yaml_belongs_nowhere',
  'yaml_colon_missing',
  'yaml_indented_differently',
  'yaml_indented_too_little',
];

/** Braces in place of a key, as in a template without quotes. */
const complexKeyAt = (key: number, text: string): Misread =>
  text[key] === '{' && text[key - 1] === '{'
    ? misread(finding('yaml_template_unquoted', []), { offset: key - 1, length: 2 })
    : misread(finding('yaml_key_not_text', []), { offset: key, length: 1 });

/** The offset of the first list or map in place of a key. */
function complexKey(events: readonly Event[]): number | undefined {
  const counts: { isMap: boolean; children: number }[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      counts.pop();
      continue;
    }
    const around = counts.at(-1);
    const isKey = around?.isMap && around.children++ % 2 === 0;
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      if (isKey) return event.start;
      counts.push({ isMap: event.type === EVENT_ID.MAPPING, children: 0 });
    }
  }
  return undefined;
}

interface Complaint {
  readonly above: string;
  readonly line: string;
  readonly lineStart: number;
  readonly column: number;
}

/** How far to look back for an opening quote. A line can have megabytes. */
const nearby = 200;

/** Mistakes that the parser accepted as text and stumbled over later. */
function mistakeBefore({ above, line, lineStart, column }: Complaint): Misread | undefined {
  const at = (code: PlainCode, offset: number, length: number) =>
    misread(finding(code, []), { offset, length });
  const dash = /^\s*-(?=["']?[A-Za-z_][\w-]*["']?:(\s|$))/;
  const here = dash.exec(line);
  if (here) return at('dash_without_space', lineStart + here[0].length - 1, 1);
  const there = dash.exec(above);
  if (there) return at('dash_without_space', lineStart - above.length - 2 + there[0].length, 1);
  const textBefore = line.slice(Math.max(0, column - nearby), column);
  const isInWord = /[A-Za-z\u00c0-\uffff]'[A-Za-z\u00c0-\uffff]/.test(line.slice(column - 2, column + 1));
  if (isInWord && /(^|[:\-[{,])\s*'([^']|'')*'$/.test(textBefore))
    return at('yaml_apostrophe', lineStart + column - 1, 1);
  if (line.slice(column, column + 2) !== '{{') return undefined;
  // A single pass: a line may have a colon in every third place.
  const texts = line.slice(0, column + 2).matchAll(/[:\-[{,]\s+([^\s"'{[\],][^"'{[\],]*)(\{\{)?/g);
  const text = [...texts].find(([, , braces]) => braces);
  if (text?.[1] === undefined) return undefined;
  return at(
    'yaml_text_with_template_unquoted',
    lineStart + text.index + text[0].indexOf(text[1]),
    text[1].length,
  );
}

/** Whether braces follow a second colon. */
function isTextWithTemplate(line: string): boolean {
  const before = line.slice(0, Math.max(0, line.lastIndexOf('{{')));
  const start = before.search(/:\s[^"'{[]/);
  return start >= 0 && /:\s/.test(before.slice(start + 3));
}

function mistakeIn(
  line: string,
  column: number,
  above: string,
  code: PlainCode | undefined,
): Finding | undefined {
  const before = line.slice(0, column);
  const character = line[column] ?? '';
  if (character === ':' && isTextWithTemplate(line)) return finding('yaml_text_with_template_unquoted', []);
  if (/:\s*\{\{|-\s+\{\{/.test(line)) return finding('yaml_template_unquoted', []);
  if (/"[^"]*\{\{[^"}]*"/.test(before)) return finding('yaml_template_in_double_quotes', []);
  if (/(^|[:\-[{,])\s*"[^"]*"$/.test(before.slice(-nearby)) && /^[^\s,}\]#:]/.test(line.slice(column)))
    return finding('yaml_quote_inside', []);
  if (/^[\s-]*\t/.test(line)) return finding('yaml_tab', []);
  // The parser joins both lines into one text, with the dash.
  const isOneText = /^\s*-\s/.test(before) && /^\s*[\w-]+\s*$/.test(above);
  if (character === ':' && (isOneText || /^\s*[\w-]+$/.test(before)))
    return finding('yaml_colon_missing_above', []);
  if (character === ':' && code === 'yaml_comma_missing') return finding('yaml_comma_or_quotes_missing', []);
  if (character === ':') return finding('yaml_colon_unquoted', []);
  if (code === 'yaml_indented_differently' && /["'\]}]\s*$/.test(before.slice(-nearby)))
    return finding('yaml_text_after_value', []);
  if (/[@`%]/.test(character)) return finding('yaml_start_unquoted', [], { character });
  return undefined;
}
