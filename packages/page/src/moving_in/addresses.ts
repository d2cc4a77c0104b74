import { hasLinks } from '@form-relay/base/html';
import { decodeSegment, isLoopback, parseUrl } from '@form-relay/base/url';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import { httpUrl } from '@form-relay/schema/scalars';
import type { Schema } from '@form-relay/schema/schema';
import type { Page, PageElement } from '../check/markup.ts';
import { quote } from '../check/page_form.ts';
import { note, type Remark, toDo } from './config_text.ts';

/** Returns a link's URL as the config accepts it; `undefined` if the config rejects it or the page does not tell it. */
export type Links = (href: string) => string | undefined;

/** @param site The page's own URL. `lost` in the result: the links that have no usable URL. */
export function linksOf({ base }: Pick<Page, 'base'>, site: string | undefined) {
  const around = parseUrl(base ?? '', site ?? unknownSite) ?? unknownSite;
  const lost = new Set<string>();
  const read: Links = (href) => {
    const written = href.trim();
    // A link within the page would not work on the form's own page.
    if (written === '' || written.startsWith('#')) return undefined;
    const target = parseUrl(written, around);
    if (!target || !/^(https?|mailto|tel):$/.test(target.protocol)) return undefined;
    const isOfSite = target.hostname === unknownHost || isLoopback(target.hostname);
    const isPath = site === undefined && isOfSite;
    // Without the page's URL, a relative path cannot be resolved.
    if (isPath && !written.startsWith('/')) return undefined;
    const address = (isPath ? `${target.pathname}${target.search}${target.hash}` : target.href).replaceAll(
      /[()'"]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    );
    return hasLinks(`[a](${address})`) ? address : undefined;
  };
  const addressOf: Links = (href) => {
    const address = read(href);
    if (address === undefined) lost.add(href);
    return address;
  };
  return { addressOf, lost };
}

const unknownHost = 'page.invalid';
const unknownSite = `https://${unknownHost}/`;

export interface MovedRedirect {
  /** An absolute URL. If the page does not tell the host, one that nobody can register. */
  readonly address: string;
  readonly isKnown: boolean;
  readonly remarks: readonly Remark[];
}

/**
 * The page to show after a submission; `undefined` for the service's own. The config needs an absolute URL,
 * but pages mostly contain a path.
 */
export function redirectTo(written: string | undefined, site: string | undefined): MovedRedirect | undefined {
  const url = parseUrl(
    written?.startsWith('//') ? `https:${written}` : (written ?? ''),
    site ?? 'https://www.your-site.invalid/',
  );
  // A service's thank-you page speaks for that service, so it is dropped.
  if (written === undefined || (url && serviceAt(url.hostname) !== undefined)) return undefined;
  const isWhole = parseUrl(written) !== undefined || written.startsWith('//');
  if (!url || !accepts(httpUrl(), url.href))
    return {
      address: 'https://www.your-site.invalid/',
      isKnown: false,
      remarks: [toDo(`${quote(written)} cannot be the address of a redirect`)],
    };
  if (isLoopback(url.hostname) || (!isWhole && site === undefined)) {
    const why = `the page redirects to ${quote(written)}: add your site's address, and remove the # before redirect`;
    return { address: url.href, isKnown: false, remarks: [toDo(why)] };
  }
  const made = `redirect is ${quote(written)}, completed with the page's own address`;
  return { address: url.href, isKnown: true, remarks: isWhole ? [] : [note(made)] };
}

/** The page's own URL, if the page contains it. */
export function siteOf({ elements, base }: Page): string | undefined {
  const links = elements.flatMap(({ tag, attributes }) => {
    if (tag === 'link' && attributes.get('rel')?.toLowerCase() === 'canonical')
      return attributes.get('href') ?? [];
    return attributes.get('property') === 'og:url' ? (attributes.get('content') ?? []) : [];
  });
  return [base ?? [], links].flat().find((link) => {
    const url = parseUrl(link);
    return url !== undefined && /^https?:$/.test(url.protocol) && !isLoopback(url.hostname);
  });
}

/** Where a form's submissions have been sent so far. */
export interface Destination {
  /** The service's name; `undefined` if it is not a known service. */
  readonly service: string | undefined;
  /** The owner's own endpoint, which can keep receiving submissions, now from the relay. */
  readonly forwardTo: URL | undefined;
  /** The mail addresses in the action. */
  readonly recipients: readonly string[];
  /** The rest of a mailto address (RFC 6068), such as `?subject=Hello`. */
  readonly rest: string;
}

/** Services that forms are sent to, by host. */
const hosts: readonly (readonly [name: string, host: RegExp])[] = [
  ['Formspree', /(^|\.)formspree\.io$/],
  ['Basin', /(^|\.)usebasin\.com$/],
  ['Web3Forms', /(^|\.)web3forms\.com$/],
  ['FormSubmit', /(^|\.)formsubmit\.(co|io)$/],
  ['Getform', /(^|\.)getform\.(io|com|org)$/],
  ['Forminit', /(^|\.)forminit\.com$/],
  ['Formspark', /(^|\.)submit-form\.com$/],
  ['Formcarry', /(^|\.)formcarry\.com$/],
  ['FormKeep', /(^|\.)formkeep\.com$/],
  ['FormBackend', /(^|\.)formbackend\.com$/],
  ['FormBold', /(^|\.)formbold\.com$/],
  ['Static Forms', /(^|\.)staticforms\.(xyz|dev)$/],
  ['Un-static Forms', /^forms\.un-static\.com$/],
  ['Kwes Forms', /(^|\.)kwesforms\.com$/],
  ['HeroTofu', /(^|\.)herotofu\.com$/],
];

/** The name of the service at a host. */
const serviceAt = (hostname: string): string | undefined =>
  hosts.find(([, host]) => host.test(hostname))?.[0];

const relays = /\/api\/v1\/submit\/([^/]+)$/;

/** The form's name in a relay's URL, if the form was sent to a relay. */
export const relaysForm = (action: string): string | undefined =>
  relays.exec(parseUrl(action, 'https://page.invalid/')?.pathname ?? '')?.[1];

const netlify = ['netlify', 'data-netlify', 'netlify-honeypot', 'data-netlify-honeypot'];

export function destinationOf(form: PageElement, own: readonly PageElement[]): Destination {
  const action = (form.attributes.get('action') ?? '').trim();
  const url = parseUrl(action.startsWith('//') ? `https:${action}` : action);
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  const isNetlify =
    netlify.some((name) => form.attributes.has(name)) ||
    own.some(
      ({ attributes }) => attributes.get('type') === 'hidden' && attributes.get('name') === 'form-name',
    );
  const host = isWeb ? serviceAt(url.hostname) : undefined;
  const service = isNetlify ? 'Netlify Forms' : host;
  const isOwn = isWeb && service === undefined && accepts(httpUrl(), url.href);
  const isMail = url?.protocol === 'mailto:';
  return {
    service,
    forwardTo: isOwn && !relays.test(url.pathname) ? url : undefined,
    recipients: url && (isMail || host !== undefined) ? addressesIn(url.pathname) : [],
    rest: isMail ? url.search : '',
  };
}

/** `https://formsubmit.co/you@example.com`, `mailto:you@example.com,me@example.com`. */
const addressesIn = (list: string): readonly string[] => {
  const parts = list.split(/[,/]/).map((part) => (decodeSegment(part) ?? part).trim());
  return [...new Set(parts.filter(isAddress))];
};

/** A mail address in the usual form, which needs no further check. */
export const isAddress = (text: string): boolean =>
  /^[\w.+-]*\w@([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/i.test(text) && !/\.\.|^\./.test(text);

/** Whether the config accepts this value. */
export const accepts = (schema: Schema<unknown>, value: string): boolean =>
  schema(value, new Diagnostics()) !== undefined;
