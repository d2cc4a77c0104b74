import { maxBodyBytes, type RelayRequest } from '../http.ts';
import type { Message, MessageCode } from '../messages/message.ts';
import { err, ok, type Result } from '../result.ts';
import type { Values } from '../values.ts';
import { parseUrlencoded } from './urlencoded.ts';

/** The body's values, or why it has none (SPEC: POST /api/v1/submit/{form}, 400). */
export function parseBody({ headers, body }: RelayRequest): Result<Values, Message> {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/x-www-form-urlencoded') return refused('content_type_unsupported');
  if (!body) return refused('body_unreadable');
  if (body.byteLength > maxBodyBytes) return refused('body_too_long');
  const isEncoded = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  if (isEncoded) return refused('body_compressed');
  const values = parseUrlencoded(body);
  return values ? ok(values) : refused('body_malformed');
}

const refused = (code: MessageCode) => err({ code });
