/** The search of the manual's site knows the manual. `npm run docs:check` asks it the questions. */
import { anchorsOf, papers, read } from './papers.ts';

test.each(['search_words.json', 'questions.json'])(
  'each page and heading that scripts/manual-site/%s names is there',
  (name) => {
    const data: Record<string, string | string[]> = JSON.parse(read(`scripts/manual-site/${name}`));
    const named = Object.entries(data).flatMap(([key, value]) => (typeof value === 'string' ? key : value));
    const lost = named.filter((place) => {
      const [paper = '', anchor = ''] = place.split('#');
      // The site has anchors for keys, too, such as `outputs.on_error`.
      return !papers.includes(paper) || (anchor && !anchor.includes('.') && !anchorsOf(paper).has(anchor));
    });
    expect(lost).toEqual([]);
  },
);

test('each page of the manual has other words for its subject', () => {
  const words = Object.keys(JSON.parse(read('scripts/manual-site/search_words.json')));
  const named = new Set(words.map((place) => place.replace(/#.*/, '')));
  const pages = papers.filter((paper) => /^docs\/(?!decisions\/|README|reference)/.test(paper));
  expect(pages.filter((page) => !named.has(page))).toEqual([]);
});
