import type { IncomingMessage } from 'node:http';
import type { RelayRequest } from '../../base/http.ts';

/** A request whose body is not read yet. */
export function toRequest(
  { method = '', url = '', headers }: IncomingMessage,
  peerAddress: string | undefined,
): RelayRequest {
  // RFC 9112, 3.2.2: a server takes `POST http://host/path` too.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]+/i, '');
  const mark = target.indexOf('?');
  return {
    method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headers as RelayRequest['headers'],
    body: undefined,
    peerAddress,
    livesOn: true,
  };
}

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
