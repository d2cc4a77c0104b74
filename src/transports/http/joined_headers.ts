import type { IncomingHttpHeaders } from 'node:http';

/** Headers that came several times, as one (RFC 9110, 5.3). */
export function joined(headers: IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  for (const [name, value] of Object.entries(headers)) {
    if (Array.isArray(value)) headers[name] = value.join(', ');
  }
  return headers as Record<string, string | undefined>;
}
