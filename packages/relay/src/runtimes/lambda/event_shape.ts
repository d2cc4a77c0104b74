import type { RelayRequest } from '../../base/http.ts';
import type { Encoded } from '../encoded.ts';

/** One kind of event that brings a request, and the answer that whoever sent it understands. */
export interface EventShape<E, R> {
  /** By this, and nothing that the sender of the request wrote, it is told from others. */
  readonly isOne: (event: unknown) => boolean;
  readonly request: (event: E) => RelayRequest;
  readonly result: (answer: Encoded, event: E) => R;
  /** Whether bytes reach the visitor as such, in base64 on their way: only then is an answer compressed. */
  readonly takesBytes: boolean;
}

/** An answer in JSON, with a body that is text or base64. */
export interface Body {
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

export const bodyOf = ({ body }: Encoded): Body =>
  typeof body === 'string' ? { body } : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };

/** What came, as bytes; `sam local` and REST APIs say `null` where there is none. */
export const bytesOf = (body: string | null | undefined, isBase64Encoded = false): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');

export type Headers = Readonly<Record<string, string | undefined>>;

/** Names come in lower case or as they were sent. */
export const inLowerCase = (headers: Headers = {}): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
