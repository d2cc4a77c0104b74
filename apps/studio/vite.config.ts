/** Builds the studio's page from `app` into `built/app`. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('app'),
  logLevel: 'warn',
  // A test builds the page, too, with a different NODE_ENV.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    outDir: here('built/app'),
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1000,
    modulePreload: false,
    rolldownOptions: {
      input: { studio: here('app/main.tsx') },
      // Most libraries do not declare that modules without used exports can be dropped. The signals library
      // must stay, because it hooks into Preact.
      treeshake: { moduleSideEffects: [{ test: /node_modules\/(?!@preact\/)/, sideEffects: false }] },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: 'studio[extname]' },
    },
  },
});
