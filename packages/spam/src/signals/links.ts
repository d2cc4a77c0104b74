import { hostsOf } from './hosts.ts';
import { asks, typedIn } from './own_words.ts';
import { unlessComplained } from './phrases/index.ts';
import { signal } from './signal.ts';

/** Markup of forums, which people who fill in a form do not write; and of pages, which some do who ask about theirs. */
const forumLink = /\[(?:url|link)\b/i;
const pageLink = /<a\s[^<>]{0,40}href\b/gi;

export const links = signal({
  name: 'links',
  summary:
    'Links, by where they lead and how they are written: many hosts, a shortener or a page that anybody may have, markup. One link is next to nothing; those to the page’s own site and to the sender’s are nothing.',
  weight: 5,
  score: () => (seen) => {
    let hasForumLinks = false;
    let tags = 0;
    for (const { text } of typedIn(seen)) {
      hasForumLinks ||= forumLink.test(text);
      tags += text.match(pageLink)?.length ?? 0;
    }
    // Owners of sites ask about markup.
    const asked = (hasForumLinks || tags > 0) && asks(seen) ? 0.5 : 1;
    if (hasForumLinks) return { score: asked, why: 'links in markup of forums' };
    if (tags > 1) return { score: 0.8 * asked, why: `${tags} links in markup` };
    const { all, hidden, wordCharacters } = hostsOf(seen);
    const { size } = all;
    if (size === 0) return undefined;
    const why = `links to ${size} ${size === 1 ? 'host' : 'hosts'}`;
    if (size >= 3 && wordCharacters < size * 20) return { score: 1, why: `${why}, and few words` };
    const isMarked = tags > 0;
    if (hidden !== 'no') {
      const score = (isMarked || hidden === 'hideout' ? 0.8 : 0.6) * unlessComplained(seen);
      return { score, why: `${why}, one of which hides where it leads` };
    }
    return { score: (isMarked ? 0.5 : 0.1 + Math.min(4, size) * 0.1) * unlessComplained(seen), why };
  },
});
