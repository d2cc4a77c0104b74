import { styleText } from 'node:util';
import type { LineFormat } from '@form-relay/core/log';
import type { LogLevel } from '@form-relay/core/services';

type Style = Parameters<typeof styleText>[0];

const levels: Readonly<Record<LogLevel, { readonly mark: string; readonly style: Style }>> = {
  info: { mark: 'info ', style: 'blue' },
  warn: { mark: 'warn ', style: 'yellow' },
  error: { mark: 'error', style: 'red' },
};

/**
 * Formats the log for people at a terminal: local time, event and fields. Deliveries and stacks have their own lines.
 * Control characters from servers are escaped.
 */
export function prettyFormat(isColoured: boolean): LineFormat {
  const styled = (style: Style, text: string) =>
    isColoured ? styleText(style, text, { validateStream: false }) : text;
  const dim = (text: string) => styled('dim', text);
  const pairs = (fields: object): string =>
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${dim(`${name}=`)}${shown(value)}`)
      .join(' ');
  return (at, level, event, fields) => {
    const { mark, style } = levels[level];
    const { request_id, trace_id, form, outcome, reason, deliveries, stack, ...rest } = fields as Known;
    const said = [form, outcome].filter((one) => one !== undefined).map((one) => words(one));
    const first = [
      dim(timeOf(at)),
      styled(style, mark),
      styled('bold', event.replaceAll('_', ' ')),
      ...said,
      ...(reason === undefined ? [] : [`${dim('–')} ${words(reason)}`]),
      pairs(rest),
      ...(request_id === undefined ? [] : [dim(words(request_id))]),
    ];
    // People do not need the trace id, except one that the request brought.
    const isOwnTrace = trace_id === undefined || trace_id === String(request_id).replaceAll('-', '');
    const lines = [
      [...first, ...(isOwnTrace ? [] : [dim(`trace ${words(trace_id)}`)])].filter((one) => one !== ''),
      ...(deliveries ?? []).map((one) => {
        // Why it failed has a line of its own.
        const { output, type, outcome: ending, reason: _, ...more } = one;
        return ['     ', dim(`→ ${output}`), words(type), words(ending), pairs(more)];
      }),
      ...(stack ?? []).map((one) => ['     ', dim(words(one))]),
    ];
    return lines.map((parts) => parts.join(' ').trimEnd()).join('\n');
  };
}

interface Known {
  readonly request_id?: unknown;
  readonly trace_id?: unknown;
  readonly form?: unknown;
  readonly outcome?: unknown;
  readonly reason?: unknown;
  readonly stack?: readonly string[];
  readonly deliveries?: readonly Readonly<Record<string, unknown>>[];
}

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(shown).join(',');
  if (typeof value !== 'string') return words(JSON.stringify(value));
  return /^[^\s"=]+$/.test(value) ? words(value) : words(JSON.stringify(value));
};

/** Escapes characters that control a terminal or the order of text. */
const words = (value: unknown): string =>
  String(value).replaceAll(
    /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Local time to the millisecond. */
function timeOf(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  const seconds = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
