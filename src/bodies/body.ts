import { maxBodyBytes, type RelayRequest } from '../http.ts';
import type { Outcome } from '../outcome.ts';
import type { Values } from '../values.ts';
import { parseUrlencoded } from './urlencoded.ts';

/** The body's values, or why it has none (SPEC: POST /api/v1/submit/{form}, 400). */
export function readBody({ headers, body }: RelayRequest): Values | Outcome {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/x-www-form-urlencoded') {
    return badRequest('the Content-Type must be application/x-www-form-urlencoded');
  }
  if (!body) return badRequest('the body could not be read');
  if (body.byteLength > maxBodyBytes) return badRequest('the body is over 64 KB');
  const isEncoded = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  if (isEncoded) return badRequest('the body must not be compressed');
  return parseUrlencoded(body) ?? badRequest('the body is not valid application/x-www-form-urlencoded');
}

const badRequest = (message: string): Outcome => ({ kind: 'bad_request', message });
