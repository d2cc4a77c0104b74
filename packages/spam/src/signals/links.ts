import { parseUrl } from '@form-relay/base/url';
import { bareSite, link, mayNameSite, sign, unspaced, withoutLinks } from '../words.ts';
import { asks, kept, siteOf, speaksOfWriter, typedIn, wordsOf } from './own_words.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { type SignalInput, signal } from './signal.ts';

/** The hosts that a submission links to, except the page's own site and the sender's. */
export interface Hosts {
  /** In lower case and without `www.`; at most eight. */
  readonly all: ReadonlySet<string>;
  /**
   * Whether a link hides its target: behind a shortener, which people use, too, or on a free anonymous page,
   * which hardly anyone else uses.
   */
  readonly hidden: 'no' | 'shortened' | 'hideout';
  /** The number of letters outside links. */
  readonly wordCharacters: number;
}

/** More hosts make no difference. */
const mostHosts = 8;

/** Shorteners hide the target. `t.co` is not listed, because links copied from a timeline use it. */
const shorteners = new Set(
  'alturl.com bit.ly bitly.com buff.ly cutt.ly cutt.us is.gd lnkd.in ow.ly rb.gy rebrand.ly s.id short.gy shorturl.at sites.google.com t.ly tiny.cc tinyurl.com tinyurl.net v.gd vk.cc x.gd'.split(
    ' ',
  ),
);
/** Hosts where anyone can get a page at once and anonymously. Few visitors use them, but spammers use them to evade blocklists. */
const hideouts = new Set(
  'clck.ru forms.yandex.ru goo.su graph.org kurzlinks.de lnk.do page.link pastelink.net rentry.co script.google.com surl.li telegra.ph te.legra.ph telescope.ac teletype.in u.to'.split(
    ' ',
  ),
);

/** A shortener or hideout as people type it: without `https://`, but with a path. */
const hidingPage = new RegExp(
  `(?<![@\\w.-])(?:[a-z\\d-]{1,63}\\.){0,2}(?:${[...shorteners, ...hideouts].join('|').replaceAll('.', '\\.')})/[\\w-]`,
  'gi',
);

export const hostsOf = kept((seen: SignalInput): Hosts => {
  const all = new Set<string>();
  let wordCharacters = 0;
  let isDisguised = false;
  const add = (host: string | undefined) => {
    if (host !== undefined && all.size < mostHosts) all.add(host.toLowerCase().replace(/^www\./, ''));
  };
  for (const { text, signs } of typedIn(seen)) {
    wordCharacters += text.length;
    if (!(signs & sign.target && mayNameSite(text))) continue;
    const bare = withoutLinks(text);
    for (const [site] of bare.matchAll(bareSite)) add(site);
    for (const [page] of bare.matchAll(hidingPage)) add(page.slice(0, page.indexOf('/')));
    for (const [address] of text.matchAll(link)) {
      wordCharacters -= address.length;
      isDisguised ||= disguised.test(address);
      const url = parseUrl(/^www\./i.test(address) ? `http://${address}` : address);
      add(url?.hostname);
    }
  }
  if (all.size > 0) for (const own of ownHosts(seen)) all.delete(own);
  return { all, hidden: isDisguised && all.size > 0 ? 'hideout' : hiddenBy([...all]), wordCharacters };
});

/** `https://example.com@…` hides the real host behind a false one, and a host written as one number is unreadable. */
const disguised = /^https?:\/\/(?:[^\s/?#.]*\.[^\s/?#]*@|(?:\d{8,10}|0x[\da-f]{6,8})(?:[/?#]|$))/i;

/** Also matches subdomains, as in `1mdr.short.gy`. */
const isAmong = (list: ReadonlySet<string>) => (host: string) =>
  list.has(host) || list.has(host.split('.').slice(-2).join('.'));

function hiddenBy(hosts: readonly string[]): Hosts['hidden'] {
  if (hosts.some(isAmong(hideouts))) return 'hideout';
  return hosts.some(isAmong(shorteners)) ? 'shortened' : 'no';
}

/** The site with the form, and the domain of the sender's mail address. */
function ownHosts(seen: SignalInput): readonly string[] {
  const { fields, values } = seen;
  const page = siteOf(seen);
  const mails = fields
    .filter(({ type }) => type === 'email')
    .flatMap(({ name }) => values.get(name) ?? [])
    .map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase());
  return page === undefined ? mails : [page, ...mails];
}

/** `@name` of a messenger, or a number to text. */
const handle =
  /(?:^|\s)@[a-z]\w{4,}|\b(?:t|wa)\.me\/|\b(?:whats ?app|telegram|viber)\b[^\d\n]{0,20}\+?\d[\d ]{6}/i;
const inHandles = sign.at | sign.slash | sign.digit;

/** Whether the submission has a link to another site, or the name of an account. */
export const leadsElsewhere = kept(
  (seen: SignalInput) =>
    hostsOf(seen).all.size > 0 ||
    typedIn(seen).some(({ text, signs }) => signs & inHandles && handle.test(text)),
);

/** Forum markup, which genuine visitors do not write, and HTML, which some write when they ask about their own page. */
const forumLink = /\[(?:url|link)\b/i;
const pageLink = /<a\s[^<>]{0,40}href\b/gi;

export const links = signal({
  name: 'links',
  summary:
    'Links, by target and form: many hosts, a shortener or a page on a free host, markup. A single link adds almost no points, unless the text has only a few other words; links to the page’s own site and to the sender’s add none.',
  weight: 5,
  score: () => (seen) => {
    let hasForumLinks = false;
    let tags = 0;
    for (const { text, signs } of typedIn(seen)) {
      if (signs & sign.gap) hasForumLinks ||= forumLink.test(text);
      if (signs & sign.tag) tags += text.match(pageLink)?.length ?? 0;
    }
    // Site owners ask about markup.
    const factor = (hasForumLinks || tags > 0) && asks(seen) ? 0.5 : 1;
    if (hasForumLinks) return { score: factor, why: 'links in forum markup' };
    if (tags > 1) return { score: 0.8 * factor, why: `${tags} links in markup` };
    const { all, hidden, wordCharacters } = hostsOf(seen);
    const { size } = all;
    const sends = sendsAway(seen);
    if (size === 0 && !sends) return undefined;
    const why = `links to ${size} ${size === 1 ? 'host' : 'hosts'}`;
    if (size >= 3 && wordCharacters < size * 20) return { score: 1, why: `${why}, and few words` };
    const isMarked =
      tags > 0 || typedIn(seen).some(({ field, text }) => field.type === 'textarea' && oneWord.test(text));
    const complained = unlessComplained(seen);
    if (hidden !== 'no') {
      const score = isMarked || hidden === 'hideout' ? 0.8 : 0.6;
      return { score: score * complained, why: `${why}, one of which hides its target` };
    }
    if (sends) return { score: 0.5 * complained, why: `a contact outside the form, and few words` };
    return { score: (isMarked ? 0.5 : 0.1 + Math.min(4, size) * 0.1) * complained, why };
  },
});

const fewWords = 30;
/** Chinese and Japanese sentences have no spaces. */
const oneWord = new RegExp(`^[^\\s${unspaced}]+$`, 'u');
const linkAtTheEnd = /^(?:https?:\/\/|www\.|@\w{5})|\.[a-z]{2,12}[.!/]*$/i;

const endsWithLink = (text: string): boolean => linkAtTheEnd.test(text.slice(-200).split(/\s+/).at(-1) ?? '');

/**
 * A few words without a question, or a call to act, that lead to another site: people who send a link say
 * why. Links in the wrong place are `misplaced`.
 */
function sendsAway(seen: SignalInput): boolean {
  if (asks(seen) || !leadsElsewhere(seen)) return false;
  const phrases = phrasesOf(seen);
  return wordsOf(seen).length <= fewWords
    ? !speaksOfWriter(seen) &&
        typedIn(seen).some(({ field, text }) => field.type === 'textarea' && endsWithLink(text))
    : phrases.has('call') && !phrases.has('customer');
}
