import { parseUrl } from '../../../base/url.ts';
import { siteOf, typedIn } from './own_words.ts';
import { type Seen, signal } from './signal.ts';
import { bareSite, link, mayLink, mayNameSite, withoutLinks } from './words.ts';

/** Hosts behind which nobody can see where a link leads. */
const shorteners = new Set(
  'bit.ly clck.ru cutt.ly goo.su is.gd ow.ly rb.gy rebrand.ly s.id shorturl.at t.co t.ly tiny.cc tinyurl.com v.gd'.split(
    ' ',
  ),
);

/** Markup of forums, which people who fill in a form do not write; and of pages, which some do who ask about theirs. */
const forumLink = /\[(?:url|link)\b/i;
const pageLink = /<a\s[^<>]{0,40}href\b/gi;

/** More of them make no difference. */
const mostHosts = 8;

export const links = signal({
  name: 'links',
  summary:
    'Links, by where they lead and how they are written: many hosts, a shortener, markup. One link is next to nothing; those to the page’s own site and to the sender’s are nothing.',
  weight: 5,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    let hasForumLinks = false;
    let tags = 0;
    let wordCharacters = 0;
    const hosts = new Set<string>();
    for (const { text } of typedIn(seen)) {
      hasForumLinks ||= forumLink.test(text);
      if (text.includes('<')) tags += text.match(pageLink)?.length ?? 0;
      wordCharacters += text.length;
      if (!mayNameSite(text)) continue;
      for (const [site] of withoutLinks(text).matchAll(bareSite)) {
        if (hosts.size < mostHosts) hosts.add(site.toLowerCase().replace(/^www\./, ''));
      }
      if (!mayLink(text)) continue;
      for (const [address] of text.matchAll(link)) {
        wordCharacters -= address.length;
        if (hosts.size >= mostHosts) continue;
        const host = hostOf(address);
        if (host !== undefined) hosts.add(host);
      }
    }
    if (hasForumLinks) return { strength: 1, why: 'links in markup of forums' };
    if (hosts.size > 0) for (const own of ownHosts(seen)) hosts.delete(own);
    if (tags > 1) return { strength: 0.8, why: `${tags} links in markup` };
    const { size } = hosts;
    if (size === 0) return undefined;
    const why = `links to ${size} ${size === 1 ? 'host' : 'hosts'}`;
    if (size >= 3 && wordCharacters < size * 20) return { strength: 1, why: `${why}, and few words` };
    if ([...hosts].some((host) => shorteners.has(host))) {
      return { strength: 0.6, why: `${why}, one of which shortens` };
    }
    return { strength: tags > 0 ? 0.5 : 0.1 + Math.min(4, size) * 0.1, why };
  },
});

function hostOf(address: string): string | undefined {
  const host = parseUrl(/^www\./i.test(address) ? `http://${address}` : address)?.hostname;
  return host?.replace(/^www\./, '');
}

/** The site on which the form was filled in, and that of the sender's mail. */
function ownHosts(seen: Seen): readonly string[] {
  const { fields, values } = seen;
  const page = siteOf(seen);
  const mails = fields
    .filter(({ type }) => type === 'email')
    .flatMap(({ name }) => values.get(name) ?? [])
    .map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase());
  return page === undefined ? mails : [page, ...mails];
}
