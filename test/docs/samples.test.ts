/** Samples of HTML can be pasted, and they all have the README's form. test/browser/samples.test.ts sends them. */
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { snippets } from '../../packages/studio/src/snippets.ts';
import { must } from '../support/must.ts';
import { parseConfig } from '../support/parse_config.ts';
import { blocksOf, papers, read } from './papers.ts';
import { configOf, type Form, pageOf, placeOf, readmeConfig, samples } from './samples.ts';

const blocks = papers.flatMap(blocksOf);

test('the papers have samples of HTML', () => {
  expect(samples.length).toBeGreaterThan(20);
});

test.each(samples.map((sample) => [sample.place, sample] as const))(
  '%s is a page with a config',
  (_, sample) => {
    expect(() => pageOf(sample)).not.toThrow();
    expect(configOf(sample).forms).toHaveProperty('contact');
  },
);

test('every fence is found: each has an end, and says its language in letters', () => {
  const fencesIn = (paper: string) => read(paper).match(/^ *(```|~~~)/gm)?.length ?? 0;
  expect(papers.filter((paper) => fencesIn(paper) !== 2 * blocksOf(paper).length)).toEqual([]);
});

/** Sources that a site's build turns into a page: `npm run sites` builds them. */
const ofBuilds = ['astro', 'gotmpl', 'jsx', 'liquid', 'njk', 'svelte', 'tsx', 'vue'];
const isMarkup = /<(form|form-extra|input|textarea|select|relay-form|script|link|meta)\b|hx-get/;

test('every form that is shown is HTML, or in the language of what builds it', () => {
  const others = blocks.filter(({ language }) => language !== 'html' && !ofBuilds.includes(language));
  expect(others.filter(({ text }) => isMarkup.test(text)).map(placeOf)).toEqual([]);
});

test('HTML is no template: nothing in it is for a site’s build to replace', () => {
  const template = /\{\{|\{%|^---$|\{#|<!--|^\s*…$/m;
  expect(samples.filter(({ text }) => template.test(text)).map(placeOf)).toEqual([]);
});

test('sources for a build hold no placeholder either', () => {
  const sources = blocks.filter(({ language }) => ofBuilds.includes(language));
  expect(sources.filter(({ text }) => /<!--|\{\/\*/.test(text)).map(placeOf)).toEqual([]);
});

test('the README shows the tag that the studio has to copy', () => {
  const form = must(parseConfig(JSON.stringify(readmeConfig), 'webform.yaml')).forms.get('contact');
  const [tag] = form ? snippets(form, 'https://forms.example.com') : [];
  expect(samples.find(({ paper }) => paper === 'README.md')?.text).toBe(`${tag?.parts[0]?.code}\n`);
});

test('HTML of your own is the same form on every page', () => {
  const [form = '', ...others] = blocks
    .filter(({ language }) => !['jsx', 'vue', 'svelte'].includes(language))
    .flatMap(({ text }) => /<form[^>]* data-form-relay=.*<\/form>/s.exec(text) ?? [])
    .map((text) => text.replaceAll(/^ +/gm, ''));
  expect(others.length).toBeGreaterThan(4);
  expect(new Set([form, ...others])).toEqual(new Set([form]));
});

const shape = ({ fields = [], spam }: Form = {}) => ({
  fields: fields.map(({ name, type = 'text', required = false }) => ({ name, type, required })),
  honeypot: spam?.honeypot,
});

test('guides and pages with samples have the form of the README', () => {
  // The form of another service has fields of its own.
  const withSamples = samples.flatMap(({ paper, kind }) => (kind === 'other' ? [] : [paper]));
  const guides = papers.filter((paper) =>
    /^README\.md|^docs\/(quick-start\.md|(sites|mail|deploy)\/)/.test(paper),
  );
  const configs = [...new Set([...withSamples, ...guides])]
    .flatMap(blocksOf)
    .filter(({ language, kind, text }) => language === 'yaml' && kind === '' && /^ {2}contact:/m.test(text));
  const differing = configs.filter(({ text }) => {
    const { forms } = load(text) as { forms: Record<string, Form> };
    return JSON.stringify(shape(forms.contact)) !== JSON.stringify(shape(readmeConfig.forms.contact));
  });
  expect(configs.length).toBeGreaterThan(20);
  expect(differing.map(placeOf)).toEqual([]);
});
