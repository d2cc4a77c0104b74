/** Explains why the parser rejected a text. Loaded only in that case. */

import type { Place } from '@form-relay/schema/diagnostics';
import { type Misread, misread, type Refused } from './places.ts';
import { EVENT_ID, type Event, YAMLException } from './yaml_parser.ts';

/** Explains why the parser rejected a text. Omits quotations in the parser's message, which may contain a mistyped password. */
export function misreadOf(why: Misread | Refused): Misread {
  if ('message' in why) return why;
  const { error, text, events } = why;
  if (!(error instanceof YAMLException) || !error.mark) return said('yaml_unreadable');
  const offset = Math.min(error.mark.position, text.length);
  const [, code] = complaints.find(([words]) => words.test(error.reason)) ?? [];
  if (code === 'yaml_key_not_text') return complexKeyAt(complexKey(events) ?? offset, text);
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const column = offset - lineStart;
  const line = text.slice(lineStart).split('\n', 1)[0] ?? '';
  const above = text.slice(text.lastIndexOf('\n', lineStart - 2) + 1, Math.max(0, lineStart - 1));
  const before = mistakeBefore(above, line, lineStart, column);
  if (before) return before;
  const place = { offset, length: 1 };
  if (isListWithoutKey(line, column, text.slice(Math.max(0, lineStart - 5_000), lineStart), code))
    return said('yaml_list_key_missing', place);
  if (code === 'yaml_indented_differently' && isAmongDashes(line, text.slice(0, lineStart)))
    return said('yaml_dash_missing', place);
  const found = mistakeIn(line, column, above, code);
  if (found === 'yaml_tab') return said(found, { offset: lineStart + line.indexOf('\t'), length: 1 });
  if (found) return said(found, place);
  const character = line[column] ?? '';
  if (/[@`%]/.test(character))
    return misread('yaml_start_unquoted', `text that starts with ${character} needs quotes`, place);
  return code ? said(code, place) : misread('yaml_refused', error.reason.replace(/ ?["!<`'].*/s, ''), place);
}

/** The message for each mistake, by a code for programs. */
const messages = {
  dash_without_space: 'the dash that starts an item needs a space after it, as in "- name: email"',
  yaml_alias_without_anchor: 'this alias has no anchor: nothing above is marked with & and this name',
  yaml_apostrophe:
    "YAML ends the text at this apostrophe; double it: 'We''re glad', or use double quotes around the text: \"We're glad\"",
  yaml_belongs_nowhere:
    'this line does not belong to anything above it; check for a missing dash, wrong indentation, or an extra quote or bracket',
  yaml_bracket_never_closed: 'the text ends inside { or [; close the one that is open',
  yaml_colon_missing: 'a colon is missing, here or on the line above',
  yaml_colon_missing_above: 'the line above has no colon, or this line is indented too far',
  yaml_colon_unquoted: 'text with a colon and a space needs quotes',
  yaml_comma_missing: 'expected a comma, or the end of this { or [',
  yaml_comma_or_quotes_missing:
    'a comma is missing before this key, or text with a colon and a space needs quotes',
  yaml_control_character: 'this control character is not allowed in YAML',
  yaml_dash_missing: 'this line is part of a list; start it with "- "',
  yaml_escape_unknown: 'in double quotes a backslash starts an escape; write \\\\ for a backslash',
  yaml_indented_differently:
    'this line is not aligned with the lines above it, or is indented below a key that already has a value',
  yaml_indented_too_little: 'this line is indented too little, or a quote or bracket above is never closed',
  yaml_key_not_text: 'a key must be plain text, not a list or a map',
  yaml_key_twice: 'this key appears twice; remove one',
  yaml_quote_inside:
    'YAML ends the text at the quote before this; inside double quotes, write \\" for a quote',
  yaml_list_key_missing: 'this list has no key: write fields: (or outputs:) on a line above its first dash',
  yaml_quote_never_closed: 'the text ends inside quotes; close the quote that is open',
  yaml_star_unquoted: 'text that starts with * needs quotes: "*"',
  yaml_tab: 'a tab cannot indent YAML; use spaces',
  yaml_tag: 'tags (!…) are not available; text that starts with ! needs quotes',
  yaml_template_in_double_quotes:
    'a template with double quotes inside needs single quotes around it: \'{{ env "NAME" }}\'',
  yaml_template_unquoted: "a template needs quotes: '{{ … }}'",
  yaml_text_after_value: 'the value ends before this; put quotes around all of the text, or delete the rest',
  yaml_text_with_template_unquoted:
    'text with a template needs quotes around all of it: \'Bearer {{ env "NAME" }}\'',
  yaml_too_deep: 'this is nested too deeply',
  yaml_unreadable: 'this is not valid YAML',
} as const;
type Code = keyof typeof messages;

const said = (code: Code, place?: Place): Misread => misread(code, messages[code], place);

/**
 * Maps the parser's messages to codes. js-yaml throws one kind of error, which only its English text
 * distinguishes; no other code here depends on English text.
 */
const complaints: readonly (readonly [words: RegExp, code: Code])[] = [
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

/** Braces in place of a key, as in a template without quotes. */
const complexKeyAt = (key: number, text: string): Misread =>
  text[key] === '{' && text[key - 1] === '{'
    ? said('yaml_template_unquoted', { offset: key - 1, length: 2 })
    : said('yaml_key_not_text', { offset: key, length: 1 });

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

/** How far to look back for an opening quote, because a line can have megabytes. */
const nearby = 200;

/** Mistakes that the parser read as text, which caused an error only later. */
function mistakeBefore(above: string, line: string, lineStart: number, column: number): Misread | undefined {
  const at = (code: Code, offset: number, length: number) => said(code, { offset, length });
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
  // Uses a single pass, because a line may have a colon in every third place.
  const texts = line.slice(0, column + 2).matchAll(/[:\-[{,]\s+([^\s"'{[\],][^"'{[\],]*)(\{\{)?/g);
  const text = [...texts].find(([, , braces]) => braces);
  if (text?.[1] === undefined) return undefined;
  return at(
    'yaml_text_with_template_unquoted',
    lineStart + text.index + text[0].indexOf(text[1]),
    text[1].length,
  );
}

/** Whether the last line above with the same indentation starts with a dash, and this one does not. */
function isAmongDashes(line: string, above: string): boolean {
  const [indentation = ''] = /^ */.exec(line) ?? [];
  const starts = above
    .split('\n')
    .flatMap((one) => (one.startsWith(indentation) ? one.charAt(indentation.length) : []));
  return line[indentation.length] !== '-' && starts.findLast((start) => !/^[ #]?$/.test(start)) === '-';
}

/** Whether a list item is below a key that already has a value, or `outputs` follows items directly below a form's name. */
function isListWithoutKey(line: string, column: number, above: string, code: Code | undefined): boolean {
  const lines = above.split('\n').slice(0, -1);
  const isItem = /^\s*(- [\w-]+)?$/.test(line.slice(0, column)) && /^\s*- /.test(line);
  if (isItem && /^\s*(?!- )["'\w-]+:\s+[^\s#|>&{[]/.test(lines.at(-1) ?? '')) return true;
  if (code !== 'yaml_indented_differently' || !/^\s*outputs:/.test(line)) return false;
  const indentation = (one: string) => one.search(/\S|$/);
  const last = lines.findLast((one) => /^\s*- /.test(one));
  const parent = last && lines.findLast((one) => indentation(one) < indentation(last));
  return parent !== undefined && /^\s+[\w-]+:\s*$/.test(parent) && !/^\s*(fields|outputs):/.test(parent);
}

/** Whether braces follow a second colon. */
function isTextWithTemplate(line: string): boolean {
  const before = line.slice(0, Math.max(0, line.lastIndexOf('{{')));
  const start = before.search(/:\s[^"'{[]/);
  return start >= 0 && /:\s/.test(before.slice(start + 3));
}

function mistakeIn(line: string, column: number, above: string, code: Code | undefined): Code | undefined {
  const before = line.slice(0, column);
  const character = line[column] ?? '';
  if (character === ':' && isTextWithTemplate(line)) return 'yaml_text_with_template_unquoted';
  if (/:\s*\{\{|-\s+\{\{/.test(line)) return 'yaml_template_unquoted';
  if (/"[^"]*\{\{[^"}]*"/.test(before)) return 'yaml_template_in_double_quotes';
  if (/(^|[:\-[{,])\s*"[^"]*"$/.test(before.slice(-nearby)) && /^[^\s,}\]#:]/.test(line.slice(column)))
    return 'yaml_quote_inside';
  if (/^[\s-]*\t/.test(line)) return 'yaml_tab';
  // The parser joins both lines, including the dash, into one text.
  const isOneText = /^\s*-\s/.test(before) && /^\s*[\w-]+\s*$/.test(above);
  if (character === ':' && (isOneText || /^\s*[\w-]+$/.test(before))) return 'yaml_colon_missing_above';
  if (character === ':' && code === 'yaml_comma_missing') return 'yaml_comma_or_quotes_missing';
  if (character === ':') return 'yaml_colon_unquoted';
  if (code === 'yaml_indented_differently' && /["'\]}]\s*$/.test(before.slice(-nearby)))
    return 'yaml_text_after_value';
  return undefined;
}
