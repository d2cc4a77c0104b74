import type { HttpRequest } from '../../base/effects.ts';
import { checkHeader } from './request_headers.ts';

/** Where requests go: the parts of a request that its URL decides. */
export interface Target {
  readonly href: string;
  readonly origin: string;
  /** The head from the end of the method to the value of `connection`. */
  readonly start: string;
}

const targets = new WeakMap<URL, Target>();

/** Read once for each URL of a config, which stays the same object. */
export function targetOf(url: URL): Target {
  const known = targets.get(url);
  const { href } = url;
  if (known?.href === href) return known;
  const { origin, host, pathname, search } = url;
  const start = ` ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: `;
  const target = { href, origin, start };
  targets.set(url, target);
  return target;
}

/**
 * The request as it goes over the connection: one character a byte, or bytes. Throws a `ClientError` for headers that
 * cannot be sent, or that are the client's own.
 *
 * @param keeps Whether the connection is for more than this request.
 */
export function wireOf(
  { method = 'POST', headers, body }: HttpRequest,
  { start }: Target,
  keeps: boolean,
): string | Buffer {
  let head = method + start + (keeps ? 'keep-alive\r\n' : 'close\r\n');
  for (const name in headers) {
    const value = headers[name] as string;
    checkHeader(name, value);
    head += `${name}: ${value}\r\n`;
  }
  const length = Buffer.byteLength(body);
  if (length > 0 || method !== 'GET') head += `content-length: ${length}\r\n`;
  head += '\r\n';
  // A body that is as many bytes as characters is ASCII.
  if (length === body.length) return head + body;
  const bytes = Buffer.allocUnsafe(head.length + length);
  bytes.write(head, 'latin1');
  bytes.write(body, head.length, 'utf8');
  return bytes;
}
