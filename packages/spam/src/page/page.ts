/** The page on which a form was filled in. The client reports it, so it can be forged like any other submitted value. */

import { parseUrl } from '@form-relay/base/url';
import { firstValue } from '@form-relay/base/values';
import type { Page, RelayRequest, Values } from '@form-relay/core/index';
import { pageAt, plainText } from '@form-relay/core/outputs/template_context';

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
export function pageOf(
  sent: Values,
  { 'hx-current-url': current = '', referer = '' }: RelayRequest['headers'],
  ownOrigins: '*' | ReadonlySet<string> = '*',
  leftOut?: string,
): Page | undefined {
  const url = addressIn(firstValue(sent, pageFields.url)) ?? addressIn(current) ?? refererOf(referer);
  if (leftOut !== undefined && url?.searchParams.has(leftOut)) url.searchParams.delete(leftOut);
  return url && pageAt(url, titleIn(firstValue(sent, pageFields.title)), ownOrigins);
}

function addressIn(text: string): URL | undefined {
  if (text === '' || text.length > mostUrlCharacters) return undefined;
  const url = parseUrl(plainText(text));
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  // Some sites keep tokens in fragments, which servers never see.
  if (url.href.includes('#')) url.hash = '';
  return url.href.length > mostUrlCharacters ? undefined : url;
}

/** The page with the link to the relay's own page, or its site: most browsers say no more to another origin. */
export function linkedFrom({ referer = '' }: RelayRequest['headers']): string | undefined {
  const url = addressIn(referer);
  return url && !isRelays(url) ? url.href : undefined;
}

/**
 * The Referer of a cross-origin request is only the site, which says nothing about the page. The relay's own page is none, unless its link
 * says where it stood (`utm_source`).
 */
function refererOf(referer: string): URL | undefined {
  const url = addressIn(referer);
  if (!url || (url.pathname === '/' && url.search === '')) return undefined;
  return isRelays(url) && !isTagged(url) ? undefined : url;
}

const isRelays = ({ pathname }: URL) => /\/api\/v1\/(form|submit)\//.test(pathname);
const isTagged = ({ pathname, search }: URL) =>
  pathname.includes('/api/v1/form/') && /[?&]utm[_-]/.test(search);

function titleIn(text: string): string {
  const line = text.trim();
  return line.length > mostTitleCharacters || /[\n\r\u2028\u2029]/.test(line) ? '' : plainText(line);
}
