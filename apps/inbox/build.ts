/** Writes `built`, the inbox's page. */
import { fileURLToPath } from 'node:url';
import { bundledLicences } from '@form-relay/studio/bundled_licences';
import { build } from 'vite';

await build({
  configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)),
  plugins: [bundledLicences],
});
