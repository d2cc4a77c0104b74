import { noFiles } from '../base/files.ts';
import { maxBodyBytes, type RelayRequest } from '../base/http.ts';
import type { Refusal, RefusalCode } from '../base/outcome.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Sent, Takes } from './sent.ts';
import { parseUrlencoded } from './urlencoded.ts';

const urlencodedAlone: Takes = { bodies: new Set(), bodyLimit: maxBodyBytes, fields: [] };

/**
 * Parses a body, or returns why it is refused (SPEC: POST /api/v1/submit/{form}, 400). Synchronous for urlencoded bodies;
 * the first JSON or multipart body loads its parser.
 */
export function parseBody(
  { headers, body, isTooLong }: RelayRequest,
  { bodies, bodyLimit, fields }: Takes = urlencodedAlone,
): Result<Sent, Refusal> | Promise<Result<Sent, Refusal>> {
  const contentType = headers['content-type'] ?? '';
  // Most clients write the type exactly like this.
  const mediaType =
    contentType === kinds.urlencoded ? contentType : contentType.split(';', 1)[0]?.trim().toLowerCase();
  const taken: readonly Kind[] = ['urlencoded', ...bodies];
  const kind = taken.find((one) => kinds[one] === mediaType);
  if (!kind) {
    const types = taken.map((one) => kinds[one]).join(', ');
    return err({ code: 'content_type_unsupported', params: { types } });
  }
  const mostBytes = kind === 'multipart' ? bodyLimit : maxBodyBytes;
  if (isTooLong || (body && body.byteLength > mostBytes)) return tooLong(mostBytes);
  if (!body) return refused('body_unreadable');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return refused('body_compressed');
  switch (kind) {
    case 'urlencoded': {
      const values = parseUrlencoded(body);
      return values ? ok({ values, files: noFiles }) : refused('body_malformed');
    }
    case 'multipart':
      return import('./multipart.ts').then(({ parseMultipart }) => parseMultipart(body, contentType));
    case 'json':
      return import('./json.ts').then(({ parseJsonBody }) => parseJsonBody(body, fields));
  }
}

const kinds = {
  urlencoded: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  json: 'application/json',
} as const;
type Kind = keyof typeof kinds;

const tooLong = (mostBytes: number) =>
  mostBytes > maxBodyBytes
    ? err({ code: 'body_over_limit', params: { size: { bytes: mostBytes } } } as const)
    : refused('body_too_long');

const refused = (code: RefusalCode) => err({ code });
