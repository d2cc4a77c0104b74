/** Builds the studio's page, from `app` into `built/app`. */
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The page reads YAML and edits its text. It leaves out 6 KB of `yaml`: what writes, and the types of YAML 1.1. */
const readingAlone: Plugin = {
  name: 'reading-alone',
  transform: {
    filter: { id: /\/yaml\/browser\/dist\/(?:stringify\/|parse\/cst-|schema\/yaml-1\.1\/(?!merge))/ },
    handler(code, id) {
      if (id.endsWith('/yaml-1.1/schema.js')) return `export { schema } from '../core/schema.js';`;
      const [, names = ''] = /^export \{ (.+) \};$/m.exec(code) ?? [];
      return `const no = undefined;\nexport { ${names.split(', ').map((name) => `no as ${name}`)} };`;
    },
  },
};

export default defineConfig({
  root: here('app'),
  logLevel: 'warn',
  // A test builds it, too, with a NODE_ENV of its own.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  plugins: [readingAlone],
  build: {
    outDir: here('built/app'),
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1000,
    modulePreload: false,
    rolldownOptions: {
      input: { studio: here('app/main.tsx') },
      // Most libraries do not say that a module without used exports can be dropped. That of signals hooks into Preact.
      treeshake: { moduleSideEffects: [{ test: /node_modules\/(?!@preact\/)/, sideEffects: false }] },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: 'studio[extname]' },
    },
  },
});
