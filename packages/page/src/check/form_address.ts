import { err, ok, type Result } from '@form-relay/core/base/result';
import { decodeSegment, parseUrl } from '@form-relay/core/base/url';
import type { Place } from '@form-relay/core/schema/diagnostics';
import { nearest } from '@form-relay/core/schema/suggestion';
import { error, type PageFinding, quote, type Subject } from './page_finding.ts';

type Route = 'submit' | 'form' | 'token';

/** Whether an address leads to a route of this form, and what is wrong where it was clearly meant to. */
export type Verdict = Result<URL, PageFinding>;

/** The origin that a page has when it is a file. */
const unknownOrigin = 'http://page.invalid';

/** `undefined` where the address `value`, which stands at `place`, leads elsewhere. */
export function judgeAddress(
  value: string,
  place: Place,
  route: Route,
  subject: Subject,
): Verdict | undefined {
  const { config, formIds } = subject;
  const url = resolve(value, subject);
  if (!url) return undefined;
  const wrong = (code: string, problem: string) =>
    err(error(place, code, `${problem}; expected ${addressOf(route, subject)}`));
  const segments = segmentsOf(url);
  const trimmed = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
  const [api, version, found, id = ''] = trimmed.slice(-4);
  if (api === 'api' && version === 'v1' && ['submit', 'form', 'token'].includes(found ?? '')) {
    if (id !== config.id) {
      const isTypo = !formIds.includes(id) && nearest(id, [config.id]) !== undefined;
      return isTypo ? wrong('address_form_unknown', `${quote(id)} is not a form of the config`) : undefined;
    }
    if (found !== route)
      return wrong('address_of_another_route', `this leads to the relay's /api/v1/${found}/`);
    if (segments !== trimmed)
      return wrong('address_ends_with_slash', 'the slash at the end makes it another address (404)');
    const { baseUrl } = subject;
    if (!baseUrl || isAt(baseUrl, url, segments.slice(0, -4), value)) return ok(url);
    return url.origin === unknownOrigin
      ? wrong('address_relative', "a relative address leads to the page's own site")
      : wrong('address_of_another_server', `this leads to ${quote(url.origin)}`);
  }
  const isNamed = route === 'submit' && trimmed.at(-1) === config.id;
  return isNamed
    ? wrong('address_without_route', 'this is not where the relay takes submissions')
    : undefined;
}

/** With `--base-url`, the right path must be at the right place. */
const isAt = (baseUrl: URL, url: URL, prefix: readonly string[], value: string): boolean =>
  url.host === baseUrl.host &&
  (url.protocol === baseUrl.protocol || value.startsWith('//')) &&
  prefix.join('/') === segmentsOf(baseUrl).join('/').replace(/\/$/, '');

/** The address that the form should have. */
export const addressOf = (route: Route, { config, baseUrl }: Subject) =>
  `${baseUrl?.href.replace(/\/$/, '') ?? ''}/api/v1/${route}/${encodeURIComponent(config.id)}`;

/** As browsers resolve it; `undefined` when it is no address. */
export function resolve(value: string, { page, url }: Subject): URL | undefined {
  const pageUrl = url?.href ?? `${unknownOrigin}/`;
  const baseHref = parseUrl(page.base ?? '', pageUrl)?.href ?? pageUrl;
  return parseUrl(value.trim(), baseHref);
}

/** Decoded, so that it does not matter how a name is written. */
const segmentsOf = ({ pathname }: URL): readonly string[] =>
  pathname
    .slice(1)
    .split('/')
    .map((segment) => decodeSegment(segment) ?? segment);
