/** Writes `built`, the inbox's page. */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { bundledLicences } from '../../scripts/bundled_licences.ts';

await build({
  configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)),
  plugins: [bundledLicences],
});
