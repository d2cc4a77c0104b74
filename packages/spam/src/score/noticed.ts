/** Tells what speaks against a submission in the words of its owner's language. */
import written from './noticed.json' with { type: 'json' };

type Words = Readonly<Record<string, string>>;

const byLanguage: Readonly<Record<string, Words>> = written;

/**
 * Makes sentences of marks such as `6.5 (links, offers)`: `suspicious links; advertises something`. A mark that names only signals
 * without words stays as it is.
 */
export function noticedIn(mark: string, language: string): string {
  const known = [language, language.split('-', 1)[0] ?? ''].find((tag) => tag in byLanguage) ?? 'en';
  const words: Words = byLanguage[known] ?? written.en;
  const names = mark.slice(mark.indexOf('(') + 1, -1).split(', ');
  const said = names.flatMap((name) => words[name] ?? []);
  return said.length === 0 ? mark : said.join(known === 'ar' ? '؛ ' : '; ');
}
