import { STATUS_CODES } from 'node:http';
import type { RelayResponse } from '../../base/http.ts';

/** By the code of Node's error: answers to what is not an HTTP request, or never ends. */
const refusals: Readonly<Record<string, readonly [status: number, text: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are too long'],
};

export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

export function refusalOf(code = ''): Refusal {
  const [status, reason] = refusals[code] ?? [400, 'this is not a valid HTTP request'];
  return { status, reason };
}

/** In JSON, like everything else, and the last answer on its connection. */
export const refusalAnswer = ({ status, reason }: Refusal): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', connection: 'close' },
  body: JSON.stringify({ error: reason }),
});

/** The bytes of an answer to what Node made no request of. */
export function onTheWire({ status, headers, body }: RelayResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, `content-length: ${body.length}`];
  return [...head, '', body].join('\r\n');
}
