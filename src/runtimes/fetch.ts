import { Bytes } from '../bytes.ts';
import { maxBodyBytes } from '../http.ts';
import type { Handle } from '../street/app.ts';
import { encoded } from './encoded.ts';

/** The relay as a web-standard `fetch` handler. */
export function fetchHandler(handle: Handle): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    const head = {
      method: request.method,
      path: url.pathname,
      query: url.search.slice(1),
      headers: Object.fromEntries(request.headers),
    };
    const admission = handle.admit?.(head);
    const isWanted = (admission?.kind ?? 'admitted') === 'admitted';
    const mostBytes = (admission?.kind === 'admitted' && admission.bodyLimit) || maxBodyBytes;
    const body = isWanted ? await readAtMost(request.body, mostBytes + 1).catch(() => undefined) : undefined;
    const answer = await handle({ ...head, body }, admission);
    const { status, headers, body: sent } = await encoded(answer, head.headers['accept-encoding']);
    // An empty text would bring a Content-Type of its own.
    return new Response(sent || null, { status, headers });
  };
}

async function readAtMost(stream: ReadableStream<Uint8Array> | null, bytes: number): Promise<Uint8Array> {
  const read = new Bytes();
  if (stream) {
    // Leaving the loop cancels the stream.
    for await (const chunk of stream) {
      read.add(chunk);
      if (read.length >= bytes) break;
    }
  }
  return read.all;
}
