import { didYouMean } from '../../schema/suggestion.ts';
import { decodeSegment, parseUrl } from '../../url.ts';
import { quote, type Subject } from './finding.ts';

type Route = 'submit' | 'form' | 'token';

/**
 * Whether an address leads to a route of this form: `right`; `wrong` where it was clearly meant to, with what is wrong
 * with it; or `other` where it leads elsewhere.
 */
export type Verdict =
  | { readonly kind: 'right' | 'other' }
  | { readonly kind: 'wrong'; readonly problem: string };

/** Stands for the origin of a page that is a file. */
const unknownOrigin = 'http://page.invalid';

export function judgeAddress(value: string, route: Route, subject: Subject): Verdict {
  const { config, formIds } = subject;
  const url = resolve(value, subject);
  if (!url) return { kind: 'other' };
  const expected = `expected ${addressOf(route, subject)}`;
  const wrong = (problem: string): Verdict => ({ kind: 'wrong', problem: `${problem}; ${expected}` });
  const segments = segmentsOf(url);
  const trimmed = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
  const [api, version, found, id = ''] = trimmed.slice(-4);
  if (api === 'api' && version === 'v1' && ['submit', 'form', 'token'].includes(found ?? '')) {
    if (id !== config.id) {
      const isTypo = !formIds.includes(id) && didYouMean(id, [config.id]) !== '';
      return isTypo ? wrong(`${quote(id)} is not a form of the config`) : { kind: 'other' };
    }
    if (found !== route) return wrong(`this leads to the relay's /api/v1/${found}/`);
    if (segments !== trimmed) return wrong('the slash at the end makes it another address (404)');
    return judgeOrigin(value, url, segments.slice(0, -4), subject, expected);
  }
  const isNamed = route === 'submit' && trimmed.at(-1) === config.id;
  return isNamed ? wrong('this is not where the relay takes submissions') : { kind: 'other' };
}

/** With `--base-url`, the right path must be at the right place. */
function judgeOrigin(
  value: string,
  url: URL,
  prefix: readonly string[],
  { baseUrl }: Subject,
  expected: string,
): Verdict {
  if (!baseUrl) return { kind: 'right' };
  if (url.origin === unknownOrigin) {
    return { kind: 'wrong', problem: `a relative address leads to the page's own site; ${expected}` };
  }
  const isThere =
    url.host === baseUrl.host &&
    (url.protocol === baseUrl.protocol || value.startsWith('//')) &&
    prefix.join('/') === segmentsOf(baseUrl).join('/').replace(/\/$/, '');
  return isThere
    ? { kind: 'right' }
    : { kind: 'wrong', problem: `this leads to ${quote(url.origin)}; ${expected}` };
}

/** What the address should be. */
export const addressOf = (route: Route, { config, baseUrl }: Subject) =>
  `${baseUrl?.href.replace(/\/$/, '') ?? ''}/api/v1/${route}/${encodeURIComponent(config.id)}`;

/** As browsers resolve it; `undefined` when it is no address. */
export function resolve(value: string, { page, url }: Subject): URL | undefined {
  const pageUrl = url?.href ?? `${unknownOrigin}/`;
  const baseHref = parseUrl(page.base ?? '', pageUrl)?.href ?? pageUrl;
  return parseUrl(value.trim(), baseHref);
}

/** Decoded, so that every way to write a name is one. */
const segmentsOf = ({ pathname }: URL): readonly string[] =>
  pathname
    .slice(1)
    .split('/')
    .map((segment) => decodeSegment(segment) ?? segment);
