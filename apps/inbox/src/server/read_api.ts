/** The read-only API for programs, which authenticate with a key (openapi.json). */
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { err, ok, type Result } from '@form-relay/base/result';
import { decodeSegment } from '@form-relay/base/url';
import type { Entry, Query } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { formats } from '../export/export.ts';
import { AuditFailed, maySee, type Person } from '../gate.ts';
import { exportOf } from '../work/shown.ts';
import { titleOf } from './about.ts';
import { type Answer, json, type Request, record } from './answer.ts';
import { fileAnswer } from './documents.ts';
import openapi from './openapi.json' with { type: 'json' };
import { readQuery } from './options.ts';
import type { Api } from './routes.ts';

export const isForPrograms = (path: string): boolean => path.startsWith('/api/v1/');

const usualLimit = 50;
const mostListed = 200;
/** Ascending pages end this long before now, because arrivals not yet indexed would be skipped. */
const settledMs = 5_000;

/** RFC 9457. @param code Stable, for programs; the text may change. */
export const problem = (status: number, code: string, detail: string, headers: Answer['headers'] = {}) =>
  json({ type: 'about:blank', title: STATUS_CODES[status], status, code, detail }, status, {
    'content-type': 'application/problem+json; charset=utf-8',
    ...headers,
  });

export const unauthorized = problem(
  401,
  'key_missing',
  'Send a valid key: Authorization: Bearer frk_… (create one on the page People).',
  { 'www-authenticate': 'Bearer realm="inbox"' },
);

/** The request's key, or the answer to a request without one. Cookies are not accepted: another site's page could send them. */
export function keyIn({ method, path, headers }: Request): Answer | string {
  if (method !== 'GET' && method !== 'HEAD')
    return problem(405, 'method_not_allowed', 'The API is read-only: use GET.', { allow: 'GET, HEAD' });
  if (path === '/api/v1/openapi.json') return json(openapi);
  const [, key] = /^Bearer +(frk_[\w-]{43})$/i.exec(headers.authorization ?? '') ?? [];
  return key ?? unauthorized;
}

export async function answerProgram(api: Api, person: Person, request: Request): Promise<Answer> {
  const { options } = api;
  const given = new URLSearchParams(request.query);
  const [, , , what = '', segment = '', files = '', nth = '', ...more] = request.path.split('/');
  if (what === 'forms' && segment === '') {
    const counts = await options.index.forms();
    const known = options.config()?.forms;
    const own = counts.filter(({ id }) => maySee(person, id));
    return json({
      forms: own.map(({ id, total }) => ({ id, title: titleOf(known?.get(id)) ?? id, total })),
    });
  }
  if (what === 'submissions' && segment === '') return list(api, person, given);
  if (what === 'export' && segment === '') {
    const format = formats.find((one) => one === given.get('format'));
    const query = filterIn(given);
    if (!format) return problem(400, 'format_unknown', `format must be one of ${formats.join(', ')}.`);
    if (!query.ok) return problem(400, 'filter_invalid', query.error);
    return exportOf(options, person, format, query.value);
  }
  const id = decodeSegment(segment) ?? '';
  const entry = what === 'submissions' && more.length === 0 ? await options.index.get(id) : undefined;
  if (!entry || !maySee(person, entry.form)) return notFound;
  const { form } = entry;
  if (files === '') {
    await record(options, person, 'opened', { id, form });
    return json(await documentOf(api, entry));
  }
  if (files !== 'files' || !/^[1-9]\d{0,4}$/.test(nth)) return notFound;
  await record(options, person, 'downloaded', { id, form });
  const file = await api.documents.file(entry, Number(nth));
  return file.ok ? fileAnswer(file.value, true) : problem(404, 'file_unreadable', `${file.error}.`);
}

const notFound = problem(404, 'not_found', 'Not found, or the key has no access.');

async function list({ options, documents }: Api, person: Person, given: URLSearchParams): Promise<Answer> {
  const filter = filterIn(given);
  if (!filter.ok) return problem(400, 'filter_invalid', filter.error);
  const limit = Number(given.get('limit') ?? usualLimit);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostListed)
    return problem(400, 'limit_invalid', `limit must be a number from 1 to ${mostListed}.`);
  const order = given.get('order') ?? 'newest';
  if (order !== 'newest' && order !== 'oldest')
    return problem(400, 'order_unknown', 'order must be newest or oldest.');
  const isOldestFirst = order === 'oldest';
  const print = createHash('sha256')
    .update(JSON.stringify([filter.value, order]))
    .digest('base64url')
    .slice(0, 8);
  const cursor = given.get('cursor');
  const after = cursor === null ? undefined : readCursor(cursor, print);
  if (after === 'wrong')
    return problem(
      400,
      'cursor_invalid',
      'cursor must be the value of next from a response to the same filters and order.',
    );
  const settled = Date.now() - settledMs;
  const query = isOldestFirst
    ? { ...filter.value, until: Math.min(filter.value.until ?? settled, settled) }
    : filter.value;
  const found = await options.index.page({ query, forms: person.forms, isOldestFirst, after, count: limit });
  const entries = found.slice(0, limit);
  const hasDocuments = given.get('with') === 'document';
  await record(options, person, hasDocuments ? 'exported' : 'listed', { count: entries.length });
  const submissions = [];
  for (const entry of entries) {
    const whole = hasDocuments ? await options.index.get(entry.id) : undefined;
    submissions.push(whole ? await documentOf({ options, documents }, whole) : factsOf(entry));
  }
  const last = entries.at(-1);
  const hasMore = found.length > limit;
  const next = last
    ? writeCursor({ at: last.receivedAt, id: last.id }, print)
    : (cursor ?? writeCursor({ at: filter.value.since ?? 0, id: '' }, print));
  return json({ submissions, has_more: hasMore, next: hasMore || isOldestFirst ? next : null });
}

const writeCursor = ({ at, id }: { at: number; id: string }, print: string) =>
  Buffer.from(JSON.stringify([print, at, id])).toString('base64url');

function readCursor(text: string, print: string): { readonly at: number; readonly id: string } | 'wrong' {
  try {
    const [own, at, id] = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (own === print && Number.isSafeInteger(at) && typeof id === 'string') return { at, id };
  } catch {}
  return 'wrong';
}

/** The page's filters, which also accept human-readable times. */
function filterIn(given: URLSearchParams): Result<Query, string> {
  const own = new URLSearchParams(given);
  for (const name of ['since', 'until']) {
    const text = given.get(name);
    if (text === null || /^-?\d+$/.test(text)) continue;
    const time = /^\d{4}-\d\d-\d\d(?:T|$)/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time))
      return err(`${name} must be a time such as 2026-05-01T00:00:00Z, or milliseconds.`);
    own.set(name, String(time));
  }
  const query = readQuery(own);
  return query.ok ? ok(query.value) : err(`${query.error}.`);
}

const factsOf = ({ id, form, receivedAt, state, mark, part, sender, summary, ...entry }: Entry) => ({
  ...{ id, form, received_at: new Date(receivedAt).toISOString(), state },
  ...{ doubted: entry.isDoubted, sealed: entry.isSealed },
  ...(mark && { mark }),
  ...(part && { change: part }),
  ...{ sender, summary },
});

/** The archived document (docs/archive.schema.json), with URLs of its files. */
async function documentOf({ documents }: Pick<Api, 'options' | 'documents'>, entry: IndexedEntry) {
  const versions = await documents.versions(entry);
  const all = versions.flatMap(({ found }) => (found.ok ? found.value.document : []));
  const last = all.at(-1);
  const unreadable = versions.map(({ found }) => (found.ok ? '' : found.error)).find(Boolean);
  if (!last) return { ...factsOf(entry), fields: [], files: [], unreadable };
  const { fields, page, dropped, doubt } = last;
  const files = all.flatMap((one) => one.files);
  return {
    ...factsOf(entry),
    ...{ page, fields },
    files: files.map(({ field, name, type, size, sha256 }, index) => ({
      ...{ field, name, type, size, sha256 },
      url: `/api/v1/submissions/${encodeURIComponent(entry.id)}/files/${index + 1}`,
    })),
    ...{ dropped, doubt },
  };
}

/** The answer to a request that failed unexpectedly. */
export const failureOf = (error: unknown): Answer =>
  error instanceof AuditFailed
    ? problem(503, 'audit_failed', error.message)
    : problem(500, 'internal_error', "Something went wrong; see the inbox's log.");
