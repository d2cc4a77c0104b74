/** The search index of the manual's site matches the manual. `npm run docs:check` runs its queries. */
import { anchorsOf, papers, read } from './papers.ts';

test.each(['search_words.json', 'questions.json'])(
  'each page and heading named in scripts/manual-site/%s exists',
  (name) => {
    const data: Record<string, string | string[]> = JSON.parse(read(`scripts/manual-site/${name}`));
    const named = Object.entries(data).flatMap(([key, value]) => (typeof value === 'string' ? key : value));
    const lost = named.filter((place) => {
      const [paper = '', anchor = ''] = place.split('#');
      // The site also has anchors for keys, such as `outputs.on_error`.
      return !papers.includes(paper) || (anchor && !anchor.includes('.') && !anchorsOf(paper).has(anchor));
    });
    expect(lost).toEqual([]);
  },
);

test('each page of the manual has search synonyms', () => {
  const words = Object.keys(JSON.parse(read('scripts/manual-site/search_words.json')));
  const named = new Set(words.map((place) => place.replace(/#.*/, '')));
  const pages = papers.filter((paper) => /^docs\/(?!decisions\/|README|reference)/.test(paper));
  expect(pages.filter((page) => !named.has(page))).toEqual([]);
});
