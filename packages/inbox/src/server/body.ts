import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '@form-relay/core/base/result';
import { type Answer, refuse } from './answer.ts';

/** The largest body: ids of a person's entries. */
const mostBytes = 1_048_576;

/** The JSON object that a page sent. */
export async function readBody(
  incoming: IncomingMessage,
): Promise<Result<Readonly<Record<string, unknown>>, Answer>> {
  // A form of another page cannot send this type.
  if (!/^application\/json\s*(?:;|$)/i.test(incoming.headers['content-type'] ?? ''))
    return err(refuse(415, 'a request needs Content-Type: application/json'));
  const tooLong = refuse(413, 'the request is longer than 1 MB');
  if (Number(incoming.headers['content-length']) > mostBytes) return err(tooLong);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > mostBytes) return err(tooLong);
    pieces.push(piece);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return ok(body as Readonly<Record<string, unknown>>);
  } catch {}
  return err(refuse(400, 'the request is no JSON object'));
}
