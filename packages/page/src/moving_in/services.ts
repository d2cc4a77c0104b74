import { decodeSegment, parseUrl } from '@form-relay/core/base/url';
import { httpUrl } from '@form-relay/core/schema/scalars';
import type { PageElement } from '../check/markup.ts';
import { accepts } from './accepts.ts';

/** The receiver of a form's submissions so far. */
export interface Destination {
  /** A service's name; `undefined` where the form is sent elsewhere. */
  readonly service: string | undefined;
  /** The owner's own address, which can go on taking submissions: from the relay. */
  readonly forwardTo: URL | undefined;
  /** The mail addresses that the action names. */
  readonly recipients: readonly string[];
  /** The rest of a mailto address (RFC 6068): subject, cc, bcc, body and others, by lower-case name. */
  readonly mailto: readonly (readonly [name: string, value: string])[];
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
export const serviceAt = (hostname: string): string | undefined =>
  hosts.find(([, host]) => host.test(hostname))?.[0];

const relays = /\/api\/v1\/submit\/([^/]+)$/;

/** The name in the address of a relay, where the form was sent to one. */
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
  const mail = url?.protocol === 'mailto:' ? mailtoOf(url) : undefined;
  return {
    service,
    forwardTo: isOwn && !relays.test(url.pathname) ? url : undefined,
    recipients: mail?.recipients ?? (url && host !== undefined ? addressesIn(url.pathname, '/') : []),
    mailto: mail?.fields ?? [],
  };
}

/** `https://formsubmit.co/you@example.com`, `mailto:you@example.com,me@example.com`. */
const addressesIn = (list: string, separator: string): readonly string[] => {
  const parts = list.split(separator).map((part) => inAscii(decoded(part).trim()));
  return [...new Set(parts.filter(isAddress))];
};

/** RFC 6068: a plus sign is a plus sign, unlike in a web address. */
function mailtoOf({ pathname, search }: URL) {
  const pairs = search.slice(1).split('&').filter(Boolean);
  const fields = pairs.map((pair): readonly [string, string] => {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    return [decoded(name).toLowerCase(), decoded(value)];
  });
  const more = pairs.filter((pair) => /^to=/i.test(pair)).map((pair) => pair.slice(3));
  return {
    recipients: addressesIn([pathname, ...more].join(','), ','),
    fields: fields.filter(([name, value]) => name !== 'to' && value.trim() !== ''),
  };
}

const decoded = (text: string) => decodeSegment(text) ?? text;

/** Mail servers know a domain of other letters by its spelling in ASCII. */
function inAscii(address: string): string {
  const at = address.lastIndexOf('@');
  const host = parseUrl(`http://${address.slice(at + 1)}`)?.host;
  return at < 0 || host === undefined ? address : `${address.slice(0, at)}@${host}`;
}

/** A bare mail address of the usual kind, which needs no second look. */
export const isAddress = (text: string): boolean =>
  /^[\w.+-]*\w@([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/i.test(text) && !/\.\.|^\./.test(text);
