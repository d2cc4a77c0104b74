import { colour, type Style } from '@form-relay/base/terminal';
import type { LogLevel } from '@form-relay/core/services';

/** Formats a log line, without its line break. */
export type FormatLine = (at: number, level: LogLevel, event: string, fields: object) => string;

const styles: Readonly<Partial<Record<LogLevel, Style>>> = { warn: 'yellow', error: 'red' };

/** Fields whose values are shown without a name. */
const spoken: ReadonlySet<string> = new Set(['form', 'outcome', 'type']);

/** An event as a line for people: local time, level, event and fields. In colour if stderr is a terminal with colours. */
export const lineForPeople: FormatLine = (at, level, event, fields) => {
  const { request_id: id, trace_id: trace, ...rest } = fields as Readonly<Record<string, unknown>>;
  // If the client sent no trace, the trace id is the request id.
  const ids = [id, ...(String(id).replaceAll('-', '') === trace ? [] : [trace])];
  const style = styles[level];
  const styled = (as: Style | undefined, text: string) =>
    as && text !== '' ? colour(as, text, process.stderr) : text;
  return [
    styled('dim', timeOf(at)),
    styled(style, level.padEnd(5)),
    styled('bold', inert(event.replaceAll('_', ' '))),
    membersOf(rest),
    styled('dim', ids.filter(isThere).map(shown).join(' ')),
  ]
    .filter((part) => part !== '')
    .join(' ');
};

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

const membersOf = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => isThere(value))
    .map(([name, value]) => (spoken.has(name) ? shown(value) : `${inert(name)}=${shown(value)}`))
    .join(' ');

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (typeof value === 'object' && value !== null) return `[${membersOf(value)}]`;
  const text = String(value);
  return inert(/^[^\s"=[\],]+$/.test(text) ? text : JSON.stringify(text));
}

/** Escapes characters that control a terminal or the direction of text. */
const inert = (text: string): string =>
  text.replaceAll(
    /[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Local time with milliseconds. */
function timeOf(at: number): string {
  const date = new Date(at);
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${clock.map((part) => String(part).padStart(2, '0')).join(':')}.${ms}`;
}
