import type { RelayRequest } from './http.ts';
import { parseUrl } from './url.ts';
import { firstValue, type Values } from './values.ts';

/**
 * The page on which a form was filled in, for forms with `page: true`. The client reports it, so it can be forged like
 * any other submitted value.
 */
export interface PageContext {
  /** `http:` or `https:`, without credentials and fragment. */
  readonly url: string;
  /** Whether its origin is in ALLOWED_ORIGINS. */
  readonly isOnOwnSite: boolean;
  /** A single line; empty if unknown. */
  readonly title: string;
  readonly query: Values;
}

/** The fields that report the page. Forms with `page` cannot have fields of these names. */
export const pageFields = { url: '_page_url', title: '_page_title' } as const;

const mostUrlCharacters = 2_000;
const mostTitleCharacters = 200;

/**
 * The page according to its own fields, htmx, or the browser. `undefined` if unknown.
 *
 * @param ownOrigins ALLOWED_ORIGINS; `*` names none.
 * @param leftOut A parameter that is not passed on.
 */
export function pageContextOf(
  sent: Values,
  { 'hx-current-url': current = '', referer = '' }: RelayRequest['headers'],
  ownOrigins: '*' | ReadonlySet<string> = '*',
  leftOut?: string,
): PageContext | undefined {
  const url = addressIn(firstValue(sent, pageFields.url)) ?? addressIn(current) ?? refererOf(referer);
  if (leftOut !== undefined && url?.searchParams.has(leftOut)) url.searchParams.delete(leftOut);
  return url && pageAt(url, titleIn(firstValue(sent, pageFields.title)), ownOrigins);
}

export const pageAt = (url: URL, title: string, ownOrigins: '*' | ReadonlySet<string>): PageContext =>
  new Page(url, title, ownOrigins !== '*' && ownOrigins.has(url.origin));

/** Parses the query on demand: few forms read it. */
class Page implements PageContext {
  readonly url: string;
  readonly isOnOwnSite: boolean;
  readonly title: string;
  readonly #address: URL;
  #query: Values | undefined;

  constructor(address: URL, title: string, isOnOwnSite: boolean) {
    this.#address = address;
    this.url = address.href;
    this.isOnOwnSite = isOnOwnSite;
    this.title = title;
  }

  get query(): Values {
    this.#query ??= queryOf(this.#address);
    return this.#query;
  }
}

function queryOf({ searchParams }: URL): Values {
  const query = new Map<string, readonly string[]>();
  for (const [name, value] of searchParams) query.set(name, [...(query.get(name) ?? []), clean(value)]);
  return query;
}

function addressIn(text: string): URL | undefined {
  if (text === '' || text.length > mostUrlCharacters) return undefined;
  const url = parseUrl(clean(text));
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  // Some sites keep tokens in fragments, which servers never see.
  if (url.href.includes('#')) url.hash = '';
  return url.href.length > mostUrlCharacters ? undefined : url;
}

/**
 * The Referer of a cross-origin request is only the site, which says nothing about the page. The submit URL is no page.
 */
function refererOf(referer: string): URL | undefined {
  const url = addressIn(referer);
  if (!url || (url.pathname === '/' && url.search === '')) return undefined;
  return /\/api\/v1\/submit\//.test(url.pathname) ? undefined : url;
}

function titleIn(text: string): string {
  const line = text.trim();
  return line.length > mostTitleCharacters || /[\n\r\u2028\u2029]/.test(line) ? '' : clean(line);
}

/** Strips controls and bidirectional marks. */
const clean = (text: string): string =>
  text.replaceAll(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '');
