/** Reads requests, builds answers, and sets the headers of every answer. */

import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@form-relay/base/result';
import { parseUrl } from '@form-relay/base/url';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { ActionDone, ActionRequest } from '../api.ts';
import type { Answer, Audited, AuditedThing, Person } from '../gate.ts';
import type { InboxOptions } from './options.ts';
import type { Body } from './routes.ts';

export type { Answer };

export type Request = Pick<RelayRequest, 'method' | 'path' | 'query' | 'headers' | 'peerAddress'>;

/** The page runs only its own scripts, never content from visitors. */
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

/** Default headers of every answer. */
export const strictHeaders = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

export const json = (body: unknown, status = 200, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

export const refuse = (status: number, error: string): Answer => json({ error }, status);

export const notThere = refuse(404, 'this submission does not exist, or you may not see it');

export const inWords = (status: number, words: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `${words}\n`,
});

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Serves a file of the page. Names contain no folders. */
export async function assetAnswer(
  path: string,
  asset: (name: string) => Promise<Uint8Array | undefined>,
): Promise<Answer> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const [, end = ''] = /^[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name) ?? [];
  const type = Object.hasOwn(types, end) ? types[end] : undefined;
  if (!type) return inWords(404, 'There is nothing here. The inbox is at /');
  const bytes = await asset(name);
  if (!bytes)
    return path === '/'
      ? inWords(500, 'The inbox has no built page. Run npm run build.')
      : inWords(404, 'There is nothing here. The inbox is at /');
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return {
    status: 200,
    headers: { 'content-type': type, 'content-security-policy': pagePolicy, etag },
    body: Buffer.from(bytes).toString(),
    isFixed: true,
  };
}

/** The largest request body: the ids of a person's entries. */
export const mostBytes = 1_048_576;

export function readBody(request: RelayRequest): Result<Readonly<Record<string, unknown>>, Answer> {
  const { headers, body: bytes, isTooLong } = request;
  // A form on another site cannot send this type.
  if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
    return err(refuse(415, 'a request needs Content-Type: application/json'));
  if (isTooLong) return err(refuse(413, 'the request is longer than 1 MB'));
  try {
    const body: unknown = JSON.parse(Buffer.from(bytes ?? []).toString('utf8'));
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return ok(body as Readonly<Record<string, unknown>>);
  } catch {}
  return err(refuse(400, 'the request is not a JSON object'));
}

/** Why a request is refused: a foreign host name that resolves here (DNS rebinding), or a page of another origin or port. */
export function refusalOf(request: Request, isOwnHost: (host: string) => boolean): Answer | undefined {
  const { host = '' } = request.headers;
  if (!isOwnHost(host)) return refuse(403, 'the inbox does not serve this host name');
  return isForged(request, (origin) => parseUrl(origin)?.host === host)
    ? refuse(403, 'the inbox accepts requests only from its own page')
    : undefined;
}

/** Whether a page of another origin may have sent it (CSRF), according to headers that pages cannot forge. */
export function isForged(
  { method, path, headers }: Pick<Request, 'method' | 'path' | 'headers'>,
  isOwnOrigin: (origin: string) => boolean,
): boolean {
  // Links to the page may come from anywhere; only the page itself may read its data.
  if ((method === 'GET' || method === 'HEAD') && !path.startsWith('/api/')) return false;
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !isOwnOrigin(origin);
}

const openingCookie = 'Path=/; HttpOnly; SameSite=Lax';

/** A cookie remembers for a quarter of an hour which submission a mail's link opens after signing in. */
export function rememberOpening({ method, path, query }: Request, answer: Answer): Answer {
  const id = method === 'GET' && path === '/' ? new URLSearchParams(query).get('open') : null;
  if (id === null || !/^[\w-]{1,100}$/.test(id)) return answer;
  const { 'set-cookie': before = [] } = answer.headers;
  const cookies = [before].flat().concat(`open=${id}; Max-Age=900; ${openingCookie}`);
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } };
}

/** Redirects a person who has signed in to the remembered submission, once. */
export function remembered({ method, path, query, headers }: Request): Answer | undefined {
  const [, id] = /(?:^|;\s*)open=([\w-]{1,100})(?:;|$)/.exec(headers.cookie ?? '') ?? [];
  if (id === undefined || method !== 'GET' || path !== '/') return undefined;
  const isThere = new URLSearchParams(query).has('open');
  return {
    status: 303,
    headers: {
      location: isThere ? `/?${query}` : `/?open=${id}`,
      'set-cookie': `open=; Max-Age=0; ${openingCookie}`,
    },
    body: '',
  };
}

export const mostIds = 10_000;

export const auditedAs = {
  deliver: 'delivered',
  again: 'delivered_again',
  restore: 'restored',
  mark: 'marked',
} as const;

/** The requested action, what is wrong with it, or `undefined` if no action has this name. */
export function actionOf(name: string, { output, mark }: Body): ActionRequest | string | undefined {
  const isOutput = typeof output === 'number' && Number.isSafeInteger(output) && output >= 0;
  switch (name) {
    case 'deliver':
    case 'again':
      return isOutput ? { action: name, output } : 'output must be the number of an output, from 0';
    case 'restore':
      return { action: name };
    case 'mark':
      return mark === 'spam' || mark === 'ham' ? { action: name, mark } : 'mark must be spam or ham';
    default:
      return undefined;
  }
}

export const idsIn = (ids: unknown): readonly string[] | undefined =>
  Array.isArray(ids) && ids.length <= mostIds && ids.every((id) => typeof id === 'string' && id.length <= 300)
    ? ids
    : undefined;

/** Records the action before it runs, and again if it fails. */
export async function recorded(
  options: InboxOptions,
  person: Person,
  what: Audited,
  { id, form }: AuditedThing,
  act: () => Promise<ActionDone>,
): Promise<ActionDone> {
  await record(options, person, what, { id, form });
  let isDone = false;
  try {
    const done = await act();
    isDone = done.isDone;
    return done;
  } finally {
    if (!isDone) await recordFailure(options, person, what, { id, form });
  }
}

export const record = async (
  { audit }: InboxOptions,
  person: Person,
  what: Audited,
  about: AuditedThing,
): Promise<void> => audit?.(person, what, about);

/** Records a failure. If that fails, too, the owner's log gets an entry, and completed work stays. */
export const recordFailure = (options: InboxOptions, person: Person, what: Audited, about: AuditedThing) =>
  record(options, person, what, { ...about, failed: true }).catch(() => {});
