// `npm start`: sets up the checkout, then serves the contact form example unless the environment names a config.
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import './setup.mjs';

const example = fileURLToPath(new URL('../examples/contact-form/webform.yaml', import.meta.url));
const relay = fileURLToPath(new URL('../dist/relay.cjs', import.meta.url));

const configs = ['CONFIG_INLINE', 'CONFIG_FILE', 'CONFIG_BUCKET', 'RELAY_CONFIG'];
if (!configs.some((name) => process.env[name])) process.env.RELAY_CONFIG = relative(process.cwd(), example);

// In this process, so that a signal to it reaches the server.
process.argv.splice(1, 1, relay, 'serve');
createRequire(import.meta.url)(relay);
