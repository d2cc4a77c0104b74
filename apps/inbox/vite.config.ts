/** Builds the inbox's page from `app` into `built`. The server serves it without folders. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { bundledLicences } from '../../scripts/bundled_licences.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const page: Plugin = {
  name: 'page',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'index.html', source: readFileSync(here('app/index.html')) });
  },
};

const flat = { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: 'inbox[extname]' };

export default defineConfig({
  root: here('app'),
  // Vite would warn about each Node module imported by relay code that this page never reaches.
  logLevel: 'error',
  // A test builds the page, too, with a different NODE_ENV.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  plugins: [page, bundledLicences],
  build: {
    outDir: here('built'),
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { input: { inbox: here('app/main.tsx') }, output: flat },
  },
});
