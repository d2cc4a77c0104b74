/** Tells what speaks against a submission in the words of its owner's language. */
import type { SimilarCount } from './marks.ts';
import written from './noticed.json' with { type: 'json' };

type Words = Readonly<Record<string, string>>;

const byLanguage: Readonly<Record<string, Words>> = written;

/**
 * Makes sentences of marks such as `6.5 (links, offers)`: `suspicious links; advertises something`. A mark that names only signals
 * without words stays as it is. Earlier messages are counted in the place of `repeated`:
 * `similar earlier messages: 3, since 22 November at 14:20 UTC`.
 */
export function noticedIn(language: string): (mark: string, similar?: SimilarCount) => string {
  const known = [language, language.split('-', 1)[0] ?? ''].find((tag) => tag in byLanguage) ?? 'en';
  const words: Words = byLanguage[known] ?? written.en;
  let times: Intl.DateTimeFormat | undefined;
  const countIn = ({ count, since }: SimilarCount) => {
    times ??= new Intl.DateTimeFormat(known === 'en' ? 'en-GB' : known, timeFormat);
    const params: Words = { count: String(count), since: times.format(since) };
    return words.similar?.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  };
  return (mark, similar) => {
    const names = mark.slice(mark.indexOf('(') + 1, -1).split(', ');
    const said = names.flatMap(
      (name) => (name === 'repeated' && similar && countIn(similar)) || (words[name] ?? []),
    );
    return said.length === 0 ? mark : said.join(known === 'ar' ? '؛ ' : '; ');
  };
}

const timeFormat = {
  day: 'numeric',
  month: 'long',
  minute: '2-digit',
  hourCycle: 'h23',
  hour: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const;
