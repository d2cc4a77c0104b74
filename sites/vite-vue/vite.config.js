import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

const isCustomElement = (tag) => tag === 'relay-form' || tag === 'form-extra';

export default defineConfig({ plugins: [vue({ template: { compilerOptions: { isCustomElement } } })] });
