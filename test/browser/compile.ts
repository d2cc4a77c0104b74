/** Compiles code from the manual and the examples. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathOf } from '../docs/papers.ts';
import { tempFolder } from '../support/temp_folder.ts';

const compilerOptions = {
  strict: true,
  module: 'preserve',
  moduleResolution: 'bundler',
  rewriteRelativeImportExtensions: true,
  target: 'es2022',
  lib: ['es2022', 'dom'],
  jsx: 'react-jsx',
  types: [],
};

/** The part of React's types that the examples use; React itself is not installed here. */
export const react = `declare module 'react' {
  export interface FormEvent<T> { preventDefault(): void; readonly currentTarget: T }
  export function useState<S>(initial: S): [S, (next: S) => void];
}
declare module 'react/jsx-runtime' {
  export const jsx: unknown;
  export const jsxs: unknown;
  export namespace JSX {
    type Element = object;
    interface IntrinsicElements {
      [name: string]: {
        [attribute: string]: unknown;
        onSubmit?: (event: import('react').FormEvent<HTMLFormElement>) => unknown;
      };
    }
  }
}
`;

/** Returns the compiler's messages, and the files as JavaScript. */
export function compile(files: Readonly<Record<string, string>>) {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const tsc = pathOf('node_modules/.bin/tsc');
  const said = execFileSync(tsc, ['-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  return { said, js: (name: string) => readFileSync(join(folder, name), 'utf8') };
}
