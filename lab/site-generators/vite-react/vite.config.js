import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Pages with the relay's script, and those into which it is bundled. */
const input = ['index.html', 'own/index.html', 'printed/index.html'];

export default defineConfig({ plugins: [react()], build: { rollupOptions: { input } } });
