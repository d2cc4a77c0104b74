import type { Files, SentFile } from '../files.ts';
import { noFiles } from '../files.ts';
import type { Form } from '../form.ts';
import { maxBodyBytes, type RelayRequest } from '../http.ts';
import type { Message, MessageCode } from '../messages/message.ts';
import { err, ok, type Result } from '../result.ts';
import type { Values } from '../values.ts';
import { parseUrlencoded } from './urlencoded.ts';

/** What a body carried. */
export interface Sent {
  readonly values: Values;
  readonly files: Files<SentFile>;
}

/** What a form takes beside urlencoded bodies. */
export type Takes = Pick<Form, 'bodies' | 'bodyLimit'>;

const urlencodedAlone: Takes = { bodies: new Set(), bodyLimit: maxBodyBytes };

/**
 * What the body carried, or why it is refused (SPEC: POST /api/v1/submit/{form}, 400). At once for urlencoded bodies;
 * what reads the others is loaded when a form takes them (D74).
 */
export function parseBody(
  { headers, body }: RelayRequest,
  { bodies, bodyLimit }: Takes = urlencodedAlone,
): Result<Sent, Message> | Promise<Result<Sent, Message>> {
  const contentType = headers['content-type'] ?? '';
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const kind = kinds[mediaType];
  if (kind === undefined || (kind !== 'urlencoded' && !bodies.has(kind))) {
    return refused('content_type_unsupported');
  }
  if (!body) return refused('body_unreadable');
  if (body.byteLength > (kind === 'multipart' ? bodyLimit : maxBodyBytes)) return refused('body_too_long');
  const isEncoded = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  if (isEncoded) return refused('body_compressed');
  switch (kind) {
    case 'urlencoded': {
      const values = parseUrlencoded(body);
      return values ? ok({ values, files: noFiles }) : refused('body_malformed');
    }
    case 'multipart':
      return import('./multipart.ts').then(({ parseMultipart }) => parseMultipart(body, contentType));
    case 'json':
      return import('./json.ts').then(({ parseJsonBody }) => parseJsonBody(body));
  }
}

const kinds: Readonly<Record<string, 'urlencoded' | 'multipart' | 'json'>> = {
  'application/x-www-form-urlencoded': 'urlencoded',
  'multipart/form-data': 'multipart',
  'application/json': 'json',
};

const refused = (code: MessageCode) => err({ code });
