/** Explains why the parser rejects a text. Loaded when it does. */

import type { Place } from '@form-relay/schema/diagnostics';
import { EVENT_ID, type Event, YAMLException } from 'js-yaml';
import { type Misread, misread, type Refused } from './places.ts';

/** Explains why the parser rejects a text. Leaves out what its message quotes, which may be a mistyped password. */
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
  const place = { offset, length: 1 };
  const found = mistakeIn(line, column, above);
  if (found === 'yaml_tab') return said(found, { offset: lineStart + line.indexOf('\t'), length: 1 });
  if (found === 'yaml_apostrophe') return said(found, { offset: offset - 1, length: 1 });
  if (found) return said(found, place);
  const character = line[column] ?? '';
  if (/[@`%]/.test(character))
    return misread('yaml_start_unquoted', `text that starts with ${character} must stand in quotes`, place);
  return code ? said(code, place) : misread('yaml_refused', error.reason.replace(/ ?["!<`'].*/s, ''), place);
}

/** What is said of each mistake, by a name for programs. */
const messages = {
  yaml_alias_without_anchor: 'this alias has no anchor: nothing above is marked with & and this name',
  yaml_apostrophe:
    "to YAML, the text ends at this apostrophe; write it twice: 'We''re glad', or double quotes around it all: \"We're glad\"",
  yaml_belongs_nowhere:
    'this belongs to nothing above it; look for a missing dash, a wrong indentation, or a quote or bracket too many',
  yaml_bracket_never_closed: 'the text ends inside { or [: one above is never closed',
  yaml_colon_missing: 'a colon is missing, here or on the line above',
  yaml_colon_missing_above: 'the line above lacks its colon, or this one is indented too far',
  yaml_colon_unquoted: 'text that holds a colon and a space must stand in quotes',
  yaml_comma_missing: 'expected a comma, or the end of this { or [',
  yaml_control_character: 'this control character cannot stand in YAML',
  yaml_escape_unknown: 'in double quotes a backslash starts an escape; write \\\\ for a backslash',
  yaml_indented_differently:
    'this does not line up with the lines above it, or follows a value that ends before it',
  yaml_indented_too_little: 'this line is indented too little, or a quote or bracket above is never closed',
  yaml_key_not_text: 'a key must be plain text, not a list or a map',
  yaml_key_twice: 'this key stands here twice; keep one',
  yaml_quote_never_closed: 'the text ends inside quotes: one above is never closed',
  yaml_star_unquoted: 'text that starts with * must stand in quotes: "*"',
  yaml_tab: 'a tab cannot indent YAML; use spaces',
  yaml_tag: 'tags (!…) are not available; text that starts with ! must stand in quotes',
  yaml_template_in_double_quotes:
    'a template with double quotes inside needs single quotes around it: \'{{ env "NAME" }}\'',
  yaml_template_unquoted:
    'text with a template in it must stand in quotes, all of it: \'Bearer {{ env "NAME" }}\'',
  yaml_too_deep: 'this is nested too deeply',
  yaml_unreadable: 'this is not YAML that can be read',
} as const;
type Code = keyof typeof messages;

const said = (code: Code, place?: Place): Misread => misread(code, messages[code], place);

/**
 * What parser messages mean. js-yaml throws one kind of error, which only its English text distinguishes: this is
 * the only place where code reads words.
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

/** How far to look back for an opening quote. A line can have megabytes. */
const nearby = 200;

function mistakeIn(line: string, column: number, above: string): Code | undefined {
  const before = line.slice(0, column);
  const character = line[column] ?? '';
  if (/:\s*\{\{|-\s+\{\{/.test(line) || line.startsWith('{{', column)) return 'yaml_template_unquoted';
  if (/"[^"]*\{\{[^"}]*"/.test(before)) return 'yaml_template_in_double_quotes';
  const isInWord = /[A-Za-z\u00c0-\uffff]'[A-Za-z\u00c0-\uffff]/.test(line.slice(column - 2, column + 1));
  if (isInWord && /(^|[:\-[{,])\s*'([^']|'')*'$/.test(before.slice(-nearby))) return 'yaml_apostrophe';
  if (/^[\s-]*\t/.test(line)) return 'yaml_tab';
  // The parser joins both lines into one text, with the dash.
  const isOneText = /^\s*-\s/.test(before) && /^\s*[\w-]+\s*$/.test(above);
  if (character === ':' && (isOneText || /^\s*[\w-]+$/.test(before))) return 'yaml_colon_missing_above';
  if (character === ':') return 'yaml_colon_unquoted';
  return undefined;
}
