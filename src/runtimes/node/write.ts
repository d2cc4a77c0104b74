import type { ServerResponse } from 'node:http';
import type { Encoded } from '../encoded.ts';
import { keptSeconds } from './connections.ts';

/** Node writes the same itself where its timer for idle connections is on. */
const keepAlive = `timeout=${keptSeconds}`;

/** Answers in one piece. */
export function write(outgoing: ServerResponse, { status, headers, body }: Encoded): void {
  // An answer to HEAD, or a 304, would have to give the length of the body that GET gets, or none (RFC 9110, 8.6).
  const hasBody = status !== 204 && status !== 304 && outgoing.req.method !== 'HEAD';
  const namesAndValues = hasBody ? ['content-length', String(Buffer.byteLength(body))] : [];
  for (const name in headers) namesAndValues.push(name, headers[name] as string);
  const isLast = !outgoing.shouldKeepAlive || outgoing.hasHeader('connection') || headers.connection;
  if (!isLast) namesAndValues.push('keep-alive', keepAlive);
  outgoing.writeHead(status, namesAndValues);
  if (hasBody && body.length > 0) {
    outgoing.write(body);
    // Or Node would write it together with the nothing that `end` adds: as a list of pieces, which takes longer.
    outgoing.socket?.uncork();
  }
  outgoing.end();
}
