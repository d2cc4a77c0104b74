import { withoutLinks } from '../words.ts';
import { siteOf, typedIn } from './own_words.ts';
import { phrasesOf, unlessComplained } from './phrases/index.ts';
import { signal } from './signal.ts';

/** `{{first_name}}`, `[Company]`, `%domain%`, `%domain_as_name%`: what a program should have filled in. */
const gap =
  /[{[%]{1,2} ?(?:first[ _]?name|last[ _]?name|name|company(?:[ _]?name)?|domain|website|site|url|city) ?[}\]%]|%(?:domain|company|website)_[a-z_]{1,30}%/i;
/** `{Hi|Hello|Hey}`, of which it should have chosen one. Programmers put spaces around the bar, or two bars. */
const choice = /\{[^\s{}|][^{}|\n]{0,40}(?<!\s)\|[^\s{}|][^{}\n]{0,80}\}/;
/** A link that tells which site it was sent to. */
const marked = /\/\S{0,80}[?&](?:d|domain|site|website)=(?:https?:\/\/)?[\w-]{1,63}\.[a-z]{2,}/i;

/** Whether the text names the site without a link: links lead to pages, which people ask about. */
const isNamed = (text: string, site: string) => withoutLinks(text).toLowerCase().includes(site);

export const massMail = signal({
  name: 'mass_mail',
  summary:
    'Traces of what is sent to many: how to get no more of it, gaps that were not filled in, the name of the site that the form stands on, in fifteen languages.',
  weight: 4,
  score: () => (seen) => {
    const site = siteOf(seen);
    const typed = typedIn(seen);
    const traces: string[] = [];
    if (phrasesOf(seen).has('mass')) traces.push('words of mass mail');
    if (typed.some(({ text }) => gap.test(text) || choice.test(text))) traces.push('gaps left open');
    if (typed.some(({ text }) => marked.test(text))) traces.push('a link marked with a site');
    // Programs write it into each copy; some people do, too.
    if (site !== undefined && typed.some(({ text }) => isNamed(text, site))) {
      if (traces.length === 0) return { score: 0.25, why: 'the name of the site' };
      traces.push('the name of the site');
    }
    if (traces.length === 0) return undefined;
    return { score: (traces.length > 1 ? 1 : 0.7) * unlessComplained(seen), why: traces.join(', ') };
  },
});
