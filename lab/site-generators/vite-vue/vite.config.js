// biome-ignore lint/correctness/noUnusedImports: what the playground has to copy uses it.
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [
    /* playground: Vue, part 2 */
  ],
});
