// `npm start`: sets up the checkout, then serves the config that the environment names; without one it opens the
// studio on an example.
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import './setup.mjs';

const here = (path) => relative(process.cwd(), fileURLToPath(new URL(path, import.meta.url)));
const configs = ['CONFIG_INLINE', 'CONFIG_FILE', 'CONFIG_BUCKET', 'RELAY_CONFIG'];
const command = configs.some((name) => process.env[name])
  ? ['serve']
  : ['--config', here('../examples/studio/webform.yaml'), 'dev'];

// In this process, so that a signal to it reaches the server.
const relay = fileURLToPath(new URL('../dist/relay.cjs', import.meta.url));
process.argv.splice(1, process.argv.length, relay, ...command);
createRequire(import.meta.url)(relay);
