import type { RelayRequest } from './http.ts';
import { parseUrl } from './url.ts';
import { firstValue, type Values } from './values.ts';

/**
 * The page on which a form was filled in, of forms that ask for it (`page: true`). The visitor's client says so, and
 * anybody can say anything: it is a submitted value like any other, and no proof.
 */
export interface PageContext {
  /** `http:` or `https:`, without credentials and without what stands after `#`. */
  readonly url: string;
  /** Whether the owner names its site in ALLOWED_ORIGINS. */
  readonly isOnOwnSite: boolean;
  /** One line; empty when unknown. */
  readonly title: string;
  /** What the address has after `?`. */
  readonly query: Values;
}

/** The fields in which a page says it. No field of a form that asks for its page can have these names. */
export const pageFields = { url: '_page_url', title: '_page_title' } as const;

const mostUrlCharacters = 2_000;
const mostTitleCharacters = 200;

/**
 * As the page itself says, or htmx, or else the browser. `undefined` when nobody knows.
 *
 * @param ownOrigins ALLOWED_ORIGINS; `*` names none.
 */
export function pageContextOf(
  sent: Values,
  { 'hx-current-url': current = '', referer = '' }: RelayRequest['headers'],
  ownOrigins: '*' | ReadonlySet<string> = '*',
): PageContext | undefined {
  const url = addressIn(firstValue(sent, pageFields.url)) ?? addressIn(current) ?? refererOf(referer);
  return url && pageAt(url, titleIn(firstValue(sent, pageFields.title)), ownOrigins);
}

/** The page of this address. */
export const pageAt = (url: URL, title: string, ownOrigins: '*' | ReadonlySet<string>): PageContext =>
  new Page(url, title, ownOrigins !== '*' && ownOrigins.has(url.origin));

/** Few forms read what its address has after `?`. */
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
  // Some sites keep tokens there, and no server ever sees it.
  if (url.href.includes('#')) url.hash = '';
  return url.href.length > mostUrlCharacters ? undefined : url;
}

/** Browsers tell other origins no more than the site, which says nothing about a page. Where a form was sent to is no page. */
function refererOf(referer: string): URL | undefined {
  const url = addressIn(referer);
  if (!url || (url.pathname === '/' && url.search === '')) return undefined;
  return /\/api\/v1\/submit\//.test(url.pathname) ? undefined : url;
}

function titleIn(text: string): string {
  const line = text.trim();
  return line.length > mostTitleCharacters || /[\n\r\u2028\u2029]/.test(line) ? '' : clean(line);
}

/** Without controls, and without the marks that make text read in another order than it is written in. */
const clean = (text: string): string =>
  text.replaceAll(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '');
