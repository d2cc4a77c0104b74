import { withoutLinks } from '../words.ts';
import { asks, siteOf, typedIn } from './own_words.ts';
import { partsOfPitch, phrasesOf, unlessComplained } from './phrases/index.ts';
import { signal } from './signal.ts';

/** `{{first_name}}`, `[Company]`, `%domain%`, `%domain_as_name%`: what a program should have filled in. */
const gap =
  /[{[%]{1,2} ?(?:first[ _]?name|last[ _]?name|name|company(?:[ _]?name)?|domain|website|site|url|city) ?[}\]%]|%(?:domain|company|website)_[a-z_]{1,30}%/i;
/** Most texts have no bracket, which is told sooner. */
const mayHaveGap = /[{[%]/;
/** `{Hi|Hello|Hey}`, of which it should have chosen one. Programmers put spaces around the bar, or two bars. */
const choice = /\{[^\s{}|][^{}|\n]{0,40}(?<!\s)\|[^\s{}|][^{}\n]{0,80}\}/;
/** A link that tells which site it was sent to. */
const marked = /\/\S{0,80}[?&](?:d|domain|site|website)=(?:https?:\/\/)?[\w-]{1,63}\.[a-z]{2,}/i;

/** How often, and by its name alone: links lead to pages, which people ask about. */
const timesNamed = (text: string, site: string) => withoutLinks(text).toLowerCase().split(site).length - 1;

/** In a subject, or where others have “Dear Sir or Madam”. In characters. */
const greeting = 40;

export const massMail = signal({
  name: 'mass_mail',
  summary:
    'Traces of what is sent to many: how to get no more of it, gaps that were not filled in, the name of the site that the form stands on, in fifteen languages.',
  weight: 4,
  isDefault: true,
  keys: {},
  look: () => (seen) => {
    const site = siteOf(seen);
    const typed = typedIn(seen);
    const traces: string[] = [];
    if (phrasesOf(seen).has('mass')) traces.push('words of mass mail');
    if (typed.some(({ text }) => mayHaveGap.test(text) && (gap.test(text) || choice.test(text)))) {
      traces.push('gaps left open');
    }
    if (typed.some(({ text }) => text.includes('?') && marked.test(text))) {
      traces.push('a link marked with a site');
    }
    // Programs write it into each copy; some people do, too.
    let named = 0;
    let isGreeted = false;
    if (site !== undefined) {
      for (const { text } of typed) {
        named += timesNamed(text, site);
        isGreeted ||= timesNamed(text.slice(0, greeting), site) > 0;
      }
    }
    const isNamed = named > 0;
    if (traces.length === 0) {
      if (!isNamed) return undefined;
      // Customers ask what it costs.
      const isPitch = partsOfPitch.filter((part) => phrasesOf(seen).has(part)).length > 1 && !asks(seen);
      const strength = isPitch && (isGreeted || named > 1) ? 0.5 * unlessComplained(seen) : 0.25;
      return { strength, why: 'the name of the site' };
    }
    const why = [...traces, ...(isNamed ? ['the name of the site'] : [])].join(', ');
    return { strength: (traces.length > 1 || isNamed ? 1 : 0.7) * unlessComplained(seen), why };
  },
});
