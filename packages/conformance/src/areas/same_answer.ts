import type { Answer } from '../answer.ts';

/** An answer without what differs between any two: the moment, its id, the connection. */
export function lasting({ status, headers, text }: Answer): string {
  const names = Object.keys(headers)
    .filter((name) => !passing.has(name))
    .sort();
  return [`${status}`, ...names.map((name) => `${name}: ${headers[name]}`), text].join(' | ');
}

const passing = new Set(['date', 'connection', 'keep-alive', 'x-request-id', 'x-response-time', 'age']);
