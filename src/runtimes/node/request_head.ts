import type { IncomingMessage } from 'node:http';
import type { RelayRequest, RequestHead } from '../../http.ts';

export function toRequestHead({ method = '', url = '', headers }: IncomingMessage): RequestHead {
  // RFC 9112, 3.2.2: a server takes `POST http://host/path` too.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]+/i, '');
  const mark = target.indexOf('?');
  return {
    method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headers as RelayRequest['headers'],
  };
}

/** Written out, since to spread the head takes 3 % of a submission. */
export const withBody = (
  { method, path, query, headers }: RequestHead,
  body: RelayRequest['body'],
  peerAddress: string | undefined,
): RelayRequest => ({ method, path, query, headers, body, peerAddress, livesOn: true });

/**
 * Node also takes other versions, and several hosts: of two, the relay and what stands in front of it might each
 * believe another. HTTP/1.1 has exactly one (RFC 9112, 3.2).
 */
export function isSound({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  return httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
}
