import { isLoopback, parseUrl } from '@form-relay/core/base/url';
import { httpUrl } from '@form-relay/core/schema/scalars';
import type { Page } from '../check/markup.ts';
import { quote } from '../check/page_finding.ts';
import { accepts } from './accepts.ts';
import { note, type Remark, toDo } from './remark.ts';
import { serviceAt } from './services.ts';

export interface MovedRedirect {
  /** A whole address; where the page does not say one, with a host that nobody can have. */
  readonly address: string;
  readonly isKnown: boolean;
  readonly remarks: readonly Remark[];
}

/** The page after a submission; `undefined` for one of the service's own. The config needs a whole address, but pages mostly write a path. */
export function redirectTo(written: string | undefined, site: string | undefined): MovedRedirect | undefined {
  const url = parseUrl(
    written?.startsWith('//') ? `https:${written}` : (written ?? ''),
    site ?? 'https://www.your-site.invalid/',
  );
  // A service's own page says thank you for the service.
  if (written === undefined || (url && serviceAt(url.hostname) !== undefined)) return undefined;
  const isWhole = parseUrl(written) !== undefined || written.startsWith('//');
  if (!url || !accepts(httpUrl(), url.href))
    return {
      address: 'https://www.your-site.invalid/',
      isKnown: false,
      remarks: [toDo(`${quote(written)} is no address that a redirect can have`)],
    };
  if (isLoopback(url.hostname) || (!isWhole && site === undefined)) {
    const why = `the page goes on to ${quote(written)}: write it with your site's address, and take away the # before redirect`;
    return { address: url.href, isKnown: false, remarks: [toDo(why)] };
  }
  const made = `redirect is ${quote(written)} with the address that the page gives as its own`;
  return { address: url.href, isKnown: true, remarks: isWhole ? [] : [note(made)] };
}

/** The address that the page says it has on the web. */
export function siteOf({ elements, base }: Page): string | undefined {
  const links = elements.map(({ tag, attributes }) => {
    if (tag === 'link' && attributes.get('rel')?.toLowerCase() === 'canonical') return attributes.get('href');
    return attributes.get('property') === 'og:url' ? attributes.get('content') : undefined;
  });
  return [base, ...links].find((link) => {
    const url = parseUrl(link ?? '');
    return url !== undefined && /^https?:$/.test(url.protocol) && !isLoopback(url.hostname);
  });
}
