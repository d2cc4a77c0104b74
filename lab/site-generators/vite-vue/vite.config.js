// biome-ignore lint/correctness/noUnusedImports: what the studio has to copy uses it.
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [
    /* studio: Vue, part 2 */
  ],
});
