import { unspaced } from '../words.ts';
import { hostsOf, leadsElsewhere } from './hosts.ts';
import { asks, speaksOfWriter, typedIn, wordsOf } from './own_words.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { type SignalInput, signal } from './signal.ts';

/** Markup of forums, which people who fill in a form do not write; and of pages, which some do who ask about theirs. */
const forumLink = /\[(?:url|link)\b/i;
const pageLink = /<a\s[^<>]{0,40}href\b/gi;

export const links = signal({
  name: 'links',
  summary:
    'Links, by where they lead and how they are written: many hosts, a shortener or a page that anybody may have, markup. One link is next to nothing, unless a few words only lead there; those to the page’s own site and to the sender’s are nothing.',
  weight: 5,
  score: () => (seen) => {
    let hasForumLinks = false;
    let tags = 0;
    for (const { text } of typedIn(seen)) {
      hasForumLinks ||= forumLink.test(text);
      tags += text.match(pageLink)?.length ?? 0;
    }
    // Owners of sites ask about markup.
    const factor = (hasForumLinks || tags > 0) && asks(seen) ? 0.5 : 1;
    if (hasForumLinks) return { score: factor, why: 'links in markup of forums' };
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
      return { score: score * complained, why: `${why}, one of which hides where it leads` };
    }
    if (sends) return { score: 0.5 * complained, why: `a way to elsewhere, and few words` };
    return { score: (isMarked ? 0.5 : 0.1 + Math.min(4, size) * 0.1) * complained, why };
  },
});

const fewWords = 30;
/** Chinese and Japanese sentences have no spaces. */
const oneWord = new RegExp(`^[^\\s${unspaced}]+$`, 'u');
const linkAtTheEnd = /^(?:https?:\/\/|www\.|@\w{5})|\.[a-z]{2,12}[.!/]*$/i;

const endsWithLink = (text: string): boolean => linkAtTheEnd.test(text.slice(-200).split(/\s+/).at(-1) ?? '');

/** A few words without a question, or a call to act, that lead elsewhere: people who send a link say what it is to them. Links elsewhere are `misplaced`. */
function sendsAway(seen: SignalInput): boolean {
  if (asks(seen) || !leadsElsewhere(seen)) return false;
  const phrases = phrasesOf(seen);
  return wordsOf(seen).length <= fewWords
    ? !speaksOfWriter(seen) &&
        typedIn(seen).some(({ field, text }) => field.type === 'textarea' && endsWithLink(text))
    : phrases.has('call') && !phrases.has('customer');
}
