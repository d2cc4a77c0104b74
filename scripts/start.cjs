// `npm start`: sets up the checkout, then serves the config that the environment names, on this machine only
// unless HOST is set. Without a config, opens the studio with an example. CommonJS, because an ES module as
// the main module would start threads before UV_THREADPOOL_SIZE is set.
const { dirname, join, relative } = require('node:path');

process.env.UV_THREADPOOL_SIZE ||= '16';
const { CONFIG_INLINE, CONFIG_FILE, CONFIG_BUCKET, RELAY_CONFIG } = process.env;
const example = relative('', join(__dirname, '../examples/studio/webform.yaml'));

// npm forwards signals only to its shell, which exits without stopping this process.
const { ppid, pid } = process;
setInterval(() => process.ppid === ppid || process.kill(pid), 200).unref();

void import('./setup.mjs').then(() => {
  if (!(CONFIG_INLINE || CONFIG_FILE || CONFIG_BUCKET || RELAY_CONFIG))
    return run('--config', example, 'dev');
  const file = CONFIG_FILE || (!CONFIG_BUCKET && RELAY_CONFIG);
  if (file && !CONFIG_INLINE) readEnvFile(join(dirname(file), '.env'));
  process.env.HOST ||= '127.0.0.1';
  run('serve');
});

/** The relay reads the file, too, and reports errors in it. HOST may be set in the file. */
function readEnvFile(path) {
  try {
    process.loadEnvFile(path);
  } catch {}
}

function run(...command) {
  const relay = join(dirname(__dirname), 'dist/relay.cjs');
  process.argv.splice(1, process.argv.length, relay, ...command);
  require(relay);
}
