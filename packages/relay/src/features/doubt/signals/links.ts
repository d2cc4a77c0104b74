import { hostsOf } from './hosts.ts';
import { typedIn } from './own_words.ts';
import { signal } from './signal.ts';

/** Markup of forums, which people who fill in a form do not write; and of pages, which some do who ask about theirs. */
const forumLink = /\[(?:url|link)\b/i;
const pageLink = /<a\s[^<>]{0,40}href\b/gi;

export const links = signal({
  name: 'links',
  summary:
    'Links, by where they lead and how they are written: many hosts, a shortener or a page that anybody may have, markup. One link is next to nothing; those to the page’s own site and to the sender’s are nothing.',
  weight: 5,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    let hasForumLinks = false;
    let tags = 0;
    for (const { text } of typedIn(seen)) {
      hasForumLinks ||= forumLink.test(text);
      if (text.includes('<')) tags += text.match(pageLink)?.length ?? 0;
    }
    if (hasForumLinks) return { strength: 1, why: 'links in markup of forums' };
    if (tags > 1) return { strength: 0.8, why: `${tags} links in markup` };
    const { all, isHidden, wordCharacters } = hostsOf(seen);
    const { size } = all;
    if (size === 0) return undefined;
    const why = `links to ${size} ${size === 1 ? 'host' : 'hosts'}`;
    if (size >= 3 && wordCharacters < size * 20) return { strength: 1, why: `${why}, and few words` };
    if (isHidden) {
      return { strength: tags > 0 ? 0.8 : 0.6, why: `${why}, one of which hides where it leads` };
    }
    return { strength: tags > 0 ? 0.5 : 0.1 + Math.min(4, size) * 0.1, why };
  },
});
