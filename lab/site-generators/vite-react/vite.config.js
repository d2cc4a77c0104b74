import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Pages that load the relay's script, and pages that bundle it. */
const input = ['index.html', 'own/index.html', 'printed/index.html'];

export default defineConfig({ plugins: [react()], build: { rollupOptions: { input } } });
