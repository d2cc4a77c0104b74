import { defineConfig } from 'astro/config';

export default defineConfig({ compressHTML: true, devToolbar: { enabled: false } });
