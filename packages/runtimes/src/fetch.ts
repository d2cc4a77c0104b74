import { Bytes } from '@form-relay/base/bytes';
import { maxBodyBytes } from '@form-relay/core/http/request';
import { uploadsBusy } from '@form-relay/core/http/resolve';
import { encoded } from './encoded.ts';
import type { RelayHandle } from './running_relay.ts';
import type { UploadRoom } from './upload_room.ts';
import { holdUpload, type Refused } from './upload_room.ts';

/** Facts that a platform adds to a request. */
export interface FetchInfo {
  /** The IP address at the other end of the connection: the sender's or a proxy's. */
  readonly peerAddress?: string | undefined;
}

/**
 * The relay as a web-standard `fetch` handler.
 *
 * @param compresses `false` if the platform compresses answers itself. Default: `true`.
 */
export function fetchHandler(
  handle: RelayHandle,
  compresses = true,
): (request: Request, info?: FetchInfo) => Promise<Response> {
  return async (request, info) => {
    const url = new URL(request.url);
    const head = {
      method: request.method,
      path: url.pathname,
      query: url.search.slice(1),
      headers: Object.fromEntries(request.headers),
      // A platform may pass a value of another type.
      ...(typeof info?.peerAddress === 'string' && { peerAddress: info.peerAddress }),
    };
    const admission = handle.admit(head);
    const mostBytes = admission.bodyLimit ?? maxBodyBytes;
    const isUpload = mostBytes > maxBodyBytes && !(Number(head.headers['content-length']) <= maxBodyBytes);
    const read = admission.refusal
      ? undefined
      : await (isUpload
          ? readUpload(request, mostBytes, handle.uploads)
          : readAtMost(request, mostBytes)
        ).catch(() => undefined);
    const { body, refused, leave } = read ?? {};
    if (refused === 'no_room') admission.refusal = uploadsBusy;
    const answer = await handle(
      { ...head, body, ...(refused === 'too_long' && { isTooLong: true }) },
      admission,
    );
    leave?.();
    const sent = await encoded(answer, compresses ? head.headers['accept-encoding'] : '');
    // An empty string would add a Content-Type header.
    return new Response(sent.body || null, { status: sent.status, headers: sent.headers });
  };
}

/** The result of reading a body. `body` is missing if the body was incomplete. */
interface Read {
  readonly body?: Uint8Array;
  readonly refused?: Refused;
  /** Releases the body's memory. */
  readonly leave?: () => void;
}

async function readAtMost({ body, headers }: Request, mostBytes: number): Promise<Read> {
  const bytes = new Bytes();
  // Leaving the loop cancels the stream.
  for await (const piece of body ?? []) {
    bytes.add(piece);
    if (bytes.length > mostBytes) return { refused: 'too_long' };
  }
  return bytes.length === (declaredLength(headers) ?? bytes.length) ? { body: bytes.all } : {};
}

function declaredLength(headers: Headers): number | undefined {
  const length = headers.get('content-length') ?? '';
  return /^\d+$/.test(length) ? Number(length) : undefined;
}

/** Reads an upload as on `node:http`, except that the platform enforces the time limit. */
async function readUpload({ body, headers }: Request, mostBytes: number, room: UploadRoom): Promise<Read> {
  const declared = declaredLength(headers);
  const reader = body?.getReader();
  let size = 0;
  let refused: Refused | undefined;
  const refuse = (why: Refused) => {
    refused = why;
    // Ends a pending read, so that the request is answered.
    reader?.cancel().catch(() => undefined);
  };
  const held = holdUpload(room, { declared, mostBytes }, () => refuse('no_room'));
  if (typeof held === 'string') return { refused: held };
  try {
    while (!refused) {
      const { value } = (await reader?.read()) ?? {};
      if (refused || !value) break;
      size += value.length;
      const why = held.add(value);
      if (why) refuse(why);
    }
  } catch (error) {
    held.leave();
    throw error;
  }
  if (refused) return { refused };
  if (size === (declared ?? size)) return { body: held.complete(), leave: held.leave };
  held.leave();
  return {};
}
