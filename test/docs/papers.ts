/** The repository's Markdown pages, and their contents. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tracked } from '../support/tracked.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Paths are relative to the repository's root. */
export const pathOf = (path: string) => join(root, path);
export const read = (path: string) => readFileSync(pathOf(path), 'utf8');

export const papers: readonly string[] = tracked
  .filter((path) => /^((docs|examples|deploy)\/.*|[^/]*)\.md$/.test(path))
  .toSorted();

export interface Block {
  readonly paper: string;
  /** The line of the opening fence, 1-based. */
  readonly line: number;
  readonly language: string;
  /** The word after the language, such as `form` in `yaml form`. */
  readonly kind: string;
  readonly text: string;
}

const fence = /^( *)```(\w*) ?(.*)\n((?:(?! *```).*\n)*) *```$/gm;

/** The fenced blocks of a page, in order. */
export const blocksOf = (paper: string): readonly Block[] => {
  const page = read(paper);
  return [...page.matchAll(fence)].map(
    ({ index, 1: indent = '', 2: language = '', 3: kind = '', 4: text = '' }) => ({
      paper,
      line: page.slice(0, index).split('\n').length,
      language,
      kind,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
};

/** A page without its fenced blocks. */
export const proseOf = (paper: string): string => read(paper).replaceAll(fence, '');

/** The anchors that GitHub generates for a page's headings. */
export function anchorsOf(paper: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const headings = [...proseOf(paper).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    headings.map((heading) => {
      const times = seen.get(heading) ?? 0;
      seen.set(heading, times + 1);
      return times === 0 ? heading : `${heading}-${times}`;
    }),
  );
}

/** The code of all packages, apps and the catalogue in one text. */
export const source = tracked
  .filter((path) => /^(packages|apps|catalogue)\/(?!.*(\/test\/|\.test\.)).*\.tsx?$/.test(path))
  .map(read)
  .join('\n');
