import { Bytes } from '@form-relay/base/bytes';
import type { Streamed } from '@form-relay/base/streamed';
import type { BytesClient, HttpClient } from '@form-relay/core/services';
import { failed } from '../failures.ts';
import { bodyLimitBytes, guarded, headerLine, isSentByOthers, uncoded, utf8 } from './protocol.ts';

/** Cloudflare's stream with a known length. Other streams are sent in chunks, which S3 rejects. */
declare const FixedLengthStream: new (
  length: number,
) => { readonly readable: ReadableStream; readonly writable: WritableStream };

/**
 * HTTP over the platform's `fetch`, for Cloudflare Workers, where a socket belongs to one request. Gives the
 * guarantees of the HTTP client that are possible with `fetch`: one request, no redirects, a timeout and a
 * size limit of the body. The platform resolves names, keeps connections open and limits headers.
 */
export const createFetchHttp =
  (): BytesClient =>
  async ({ method, url, headers, body, streamed, timeoutMs, signal, limitBytes, isStatusEnough = false }) => {
    if (signal?.aborted) throw failed('aborted');
    const abort = new AbortController();
    const onAbort = () => abort.abort();
    signal?.addEventListener('abort', onAbort);
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const failure = (before: 'answer' | 'end_of_answer') =>
      abort.signal.aborted
        ? signal?.aborted
          ? failed('aborted')
          : failed('timed_out', { timeoutMs })
        : // The platform does not report whether anything was sent.
          failed('closed', { before }, { retryAfterMs: 0 });
    try {
      const answer = await fetch(url, {
        method,
        headers: Object.entries({ ...uncoded, ...headers }).map(([name, value]) => [name, utf8(value)]),
        ...(method !== 'GET' && { body: streamed ? streamOf(streamed) : body }),
        redirect: 'manual',
        signal: abort.signal,
      }).catch(() => {
        throw failure('answer');
      });
      const read = await readAtMost(answer.body, limitBytes).catch(() => undefined);
      if (!read && !isStatusEnough) throw failure('end_of_answer');
      const received = Object.fromEntries(answer.headers);
      // Workers decode gzip and brotli automatically, if they are spelled like this.
      if (/^(gzip|br)$/.test(received['content-encoding'] ?? '')) delete received['content-encoding'];
      const { body: bytes, isCut } = read ?? { body: Buffer.alloc(0), isCut: true };
      return { status: answer.status, headers: received, body: bytes, isCut };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  };

/** The HTTP client for outputs and captchas. */
export function createFetchHttpClient(): HttpClient {
  const send = createFetchHttp();
  return async (request) => {
    const allowed = isSentByOthers(request) ? await guarded(request, false) : request;
    const { method = 'POST', url, headers, body, streamed, timeoutMs, signal } = allowed;
    for (const name in headers) headerLine(name, headers[name] as string);
    const limits = { timeoutMs, signal, limitBytes: bodyLimitBytes, isStatusEnough: true };
    const answer = await send({ method, url, headers, body, streamed, ...limits });
    return { ...answer, body: answer.body.toString('utf8') };
  };
}

async function readAtMost(stream: Response['body'], limitBytes: number) {
  const bytes = new Bytes();
  for await (const piece of stream ?? []) {
    bytes.add(piece);
    // Leaving the loop cancels the rest of the body.
    if (bytes.length > limitBytes) break;
  }
  return { body: bytes.all.subarray(0, limitBytes), isCut: bytes.length > limitBytes };
}

function streamOf({ byteLength, pieces }: Streamed): ReadableStream {
  const { readable, writable } = new FixedLengthStream(byteLength);
  const write = async () => {
    const writer = writable.getWriter();
    for (const piece of pieces()) await writer.write(piece);
    await writer.close();
  };
  // If the server stops reading, the request itself fails with an error.
  write().catch(() => undefined);
  return readable;
}
