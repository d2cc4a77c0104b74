import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';

/** Paths are relative to the repository's root. */
export const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const read = (path: string) => readFileSync(pathOf(path), 'utf8');
export const list = (path: string) => readdirSync(pathOf(path));

/** Any YAML node, without a type for each kind: a missing key is `undefined`, and fails the expectation. */
// biome-ignore lint/suspicious/noExplicitAny: the manifests' types are Kubernetes' own.
export type Node = any;

export const readYaml = (path: string): readonly Node[] => loadAll(read(path));

/** The fenced blocks of a Markdown page, in order. */
export const blocks = (page: string): readonly { readonly language: string; readonly text: string }[] =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }));
