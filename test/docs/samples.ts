/** Every HTML sample in the manual as a page, and the config that its page shows for it. */
import { load } from 'js-yaml';
import { type Block, blocksOf, papers, read } from './papers.ts';

/** The words that may follow `html` in a fence, and the resulting page. */
const pages: Readonly<Record<string, (html: string) => Page>> = {
  /** A whole page, or the contents of its body. */
  '': (html) => (/^<!doctype/i.test(html) ? { whole: html } : { head: '', body: html }),
  /** Lines for the head of a page with the README's tag. */
  head: (head) => ({ head, body: tagWithout(head) }),
  /** A form that currently uses another service. The page says how to change `action` and `method`. */
  other: (html) => ({
    head: '',
    body: html.replace(
      /action="[^"]*" method="[^"]*"/,
      'action="https://forms.example.com/api/v1/submit/contact?as=page" method="post"',
    ),
  }),
};

export type Page = { readonly whole: string } | { readonly head: string; readonly body: string };

export interface Sample extends Block {
  readonly place: string;
}

export const placeOf = ({ paper, line }: Block) => `${paper}:${line}`;

export const samples: readonly Sample[] = papers
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'html')
  .map((block) => ({ ...block, place: placeOf(block) }));

export function pageOf({ kind, text, place }: Sample): Page {
  const page = pages[kind]?.(text);
  if (!page) throw new Error(`${place}: "html ${kind}" is not a kind of sample`);
  return page;
}

interface Config {
  readonly forms: Readonly<Record<string, Form>>;
}

export interface Form {
  readonly fields?: readonly {
    readonly name?: string;
    readonly type?: string;
    readonly required?: boolean;
  }[];
  readonly spam?: { readonly honeypot?: string };
  readonly redirect?: string;
}

const readme = blocksOf('README.md');
export const readmeConfig = load(readme.find(({ language }) => language === 'yaml')?.text ?? '') as Config;
const readmeTag = readme.find(({ language }) => language === 'html')?.text ?? '';

/** The README's tag, without the lines that the head already has. */
const tagWithout = (head: string) =>
  readmeTag
    .split('\n')
    .filter((line) => line === '' || !head.includes(line))
    .join('\n');

/** How a YAML block becomes a whole config: missing parts are taken from the README. */
const wholes: Readonly<Record<string, (given: object) => Config>> = {
  '': (given) => given as Config,
  top: (given) => ({ ...given, ...readmeConfig }),
  form: (given) => ({ forms: { contact: { ...readmeConfig.forms.contact, ...given } } }),
};

/**
 * The last config above the sample, otherwise the first below, or the README's on a page without any. A
 * partial config applies up to the next heading; on a page without a whole config, up to its end.
 */
export function configOf({ paper, line, place }: Sample): Config {
  const lines = read(paper).split('\n');
  const isSameSection = (other: Block) =>
    other.line < line && !lines.slice(other.line, line).some((text) => /^#+ /.test(text));
  const all = blocksOf(paper).filter(({ language, kind }) => language === 'yaml' && kind in wholes);
  const configs = all.filter((block) => block.kind === '' || isSameSection(block));
  const block =
    configs.findLast((config) => config.line < line) ??
    configs[0] ??
    all.findLast((part) => part.line < line);
  if (!block) return readmeConfig;
  const toWhole = wholes[block.kind];
  if (!toWhole) throw new Error(`${place}: the page shows no config for this sample`);
  return toWhole(load(block.text) as object);
}
