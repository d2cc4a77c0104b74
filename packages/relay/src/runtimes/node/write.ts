import type { ServerResponse } from 'node:http';
import type { Encoded } from '../encoded.ts';
import { keptSeconds } from './connections.ts';

/** Node writes the same itself where its timer for idle connections is on. */
const keepAlive = `timeout=${keptSeconds}`;

/** Answers in one piece. */
export function write(outgoing: ServerResponse, { status, headers, body }: Encoded): void {
  // An answer to HEAD, or a 304, would have to give the length of the body that GET gets, or none (RFC 9110, 8.6).
  const hasBody = status !== 204 && status !== 304 && outgoing.req.method !== 'HEAD';
  const length = Buffer.byteLength(body);
  const isAscii = length === body.length;
  const namesAndValues = hasBody ? ['content-length', String(length)] : [];
  for (const name in headers) namesAndValues.push(name, headers[name] as string);
  const isLast = !outgoing.shouldKeepAlive || outgoing.hasHeader('connection') || headers.connection;
  if (!isLast) namesAndValues.push('keep-alive', keepAlive);
  outgoing.writeHead(status, namesAndValues);
  if (hasBody && body.length > 0) {
    const { socket } = outgoing;
    // Or Node would do both by itself, and write it with the nothing that `end` adds: as a list, which takes longer.
    socket?.cork();
    outgoing.write(body, isAscii ? 'latin1' : 'utf8');
    socket?.uncork();
  }
  outgoing.end();
}
