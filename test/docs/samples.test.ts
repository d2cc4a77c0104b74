/** HTML samples can be pasted, and all have the README's form. test/browser/samples.test.ts submits them. */
import { blocksOf, papers, read } from './papers.ts';
import { configOf, pageOf, placeOf, samples } from './samples.ts';

const blocks = papers.flatMap(blocksOf);

test('the manual has HTML samples', () => expect(samples.length).toBeGreaterThan(20));

test.each(samples.map((sample) => [sample.place, sample] as const))('%s has a config', (_, sample) => {
  expect(() => pageOf(sample)).not.toThrow();
  expect(configOf(sample).forms).toHaveProperty('contact');
});

test('every fence is closed, and names its language in letters', () => {
  const fencesIn = (paper: string) => read(paper).match(/^ *(```|~~~)/gm)?.length ?? 0;
  expect(papers.filter((paper) => fencesIn(paper) !== 2 * blocksOf(paper).length)).toEqual([]);
});

/** Sources that a build turns into a page: `npm run sites` builds them. */
const ofBuilds = ['astro', 'gotmpl', 'jsx', 'liquid', 'njk', 'svelte', 'tsx', 'vue'];
const isMarkup = /<(form|form-extra|input|textarea|select|relay-form|script|link|meta)\b|hx-get/;

test('every form in the manual is HTML, or in the language of its build tool', () => {
  const others = blocks.filter(({ language }) => language !== 'html' && !ofBuilds.includes(language));
  expect(others.filter(({ text }) => isMarkup.test(text)).map(placeOf)).toEqual([]);
});

test('HTML is not a template: it contains nothing for a site’s build to replace', () => {
  const template = /\{\{|\{%|^---$|\{#|<!--|^\s*…$/m;
  expect(samples.filter(({ text }) => template.test(text)).map(placeOf)).toEqual([]);
});

test('sources for a build contain no placeholder either', () => {
  const sources = blocks.filter(({ language }) => ofBuilds.includes(language));
  expect(sources.filter(({ text }) => /<!--|\{\/\*/.test(text)).map(placeOf)).toEqual([]);
});
