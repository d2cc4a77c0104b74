/** Requests and answers of the inbox, and the headers that every answer has. */
import type { Answer } from '../person.ts';

export type { Answer };

export interface Request {
  readonly method: string;
  /** As sent, percent-encoded. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly peerAddress: string | undefined;
}

/** The page runs its own scripts, and nothing that a visitor sent. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Each answer has these, unless it says otherwise. */
export const strictHeaders = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

export const json = (body: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});

export const refuse = (status: number, error: string): Answer => json({ error }, status);

export const notThere = refuse(404, 'there is no such submission, or you may not see it');

/** For people who look at it in the address bar. */
export const inWords = (status: number, words: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `${words}\n`,
});
