import { isLoopback, parseUrl } from '@form-relay/core/base/url';
import { hasLinks } from '@form-relay/core/html/html';
import type { Page } from '../check/markup.ts';

/** The address of a link as the config takes it; `undefined` where it takes none, or the page does not say which. */
export type Links = (href: string) => string | undefined;

/** `site`: the page's own address on the web. `url`: where it was read, if that was on the web. */
export function linksOf({ base }: Page, site: string | undefined, url: URL | undefined): Links {
  const around = parseUrl(base ?? '', site ?? url?.href ?? unknownSite) ?? unknownSite;
  return (href) => {
    const written = href.trim();
    // Within the page, it leads to what the form's own page may not have.
    if (written === '' || written.startsWith('#')) return undefined;
    const target = parseUrl(written, around);
    if (!target || !/^(https?|mailto|tel):$/.test(target.protocol)) return undefined;
    const isOfSite = target.hostname === unknownHost || isLoopback(target.hostname);
    const isPath = site === undefined && isOfSite;
    // Without the page's address, nobody knows from which folder a path goes.
    if (isPath && url === undefined && !written.startsWith('/')) return undefined;
    const address = (isPath ? `${target.pathname}${target.search}${target.hash}` : target.href).replaceAll(
      /[()'"]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    );
    return hasLinks(`[a](${address})`) ? address : undefined;
  };
}

const unknownHost = 'page.invalid';
const unknownSite = `https://${unknownHost}/`;
