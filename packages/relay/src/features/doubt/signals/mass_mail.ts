import { siteOf, typedIn } from './own_words.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { signal } from './signal.ts';
import { withoutLinks } from './words.ts';

/** `{{first_name}}`, `[Company]`, `%domain%`: what a program should have filled in. */
const gap =
  /[{[%]{1,2} ?(?:first[ _]?name|last[ _]?name|name|company(?:[ _]?name)?|domain|website|site|url|city) ?[}\]%]/i;
/** Most texts have no bracket, which is told sooner. */
const mayHaveGap = /[{[%]/;
/** `{Hi|Hello|Hey}`, of which it should have chosen one. Programmers put spaces around the bar, or two bars. */
const choice = /\{[^\s{}|][^{}|\n]{0,40}(?<!\s)\|[^\s{}|][^{}\n]{0,80}\}/;
/** A link that tells which site it was sent to. */
const marked = /\/\S{0,80}[?&](?:d|domain|site|website)=(?:https?:\/\/)?[\w-]{1,63}\.[a-z]{2,}/i;

/** By its name alone: links lead to pages, which people ask about. */
const names = (text: string, site: string) => withoutLinks(text).toLowerCase().includes(site);

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
    const isNamed = site !== undefined && typed.some(({ text }) => names(text, site));
    if (traces.length === 0) return isNamed ? { strength: 0.25, why: 'the name of the site' } : undefined;
    const why = [...traces, ...(isNamed ? ['the name of the site'] : [])].join(', ');
    return { strength: (traces.length > 1 || isNamed ? 1 : 0.7) * unlessComplained(seen), why };
  },
});
