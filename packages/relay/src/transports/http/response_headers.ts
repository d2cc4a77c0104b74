import type { HttpAnswer } from '../../base/effects.ts';

/**
 * Headers by their names in lower case. Those that came several times are one (RFC 9110, 5.3).
 *
 * @param raw Name, value, name, value.
 */
export function joined(raw: readonly string[]): HttpAnswer['headers'] {
  // Without a prototype, `__proto__` is a name like any other.
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? '';
    const value = raw[at + 1] ?? '';
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** The same, of a status line with its headers. */
export function headersIn(head: string): HttpAnswer['headers'] {
  const lines = head.split('\r\n').slice(1, -2);
  return joined(
    lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '')];
    }),
  );
}
