import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { count } from '@form-relay/base/terminal';
import type { ParseResult } from '@form-relay/config/parse';
import { command, flag, option } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { readConfig, siblingsOf, unreadable } from '@form-relay/runtimes/config_file';
import { createOwnerKey } from '@form-relay/runtimes/owner_key';
import { type Asset, createStudio } from '@form-relay/studio/studio';
import { createStudioServer } from '@form-relay/studio/studio_server';
import { showProblems } from '@form-relay/yaml/problem';
import { readBeside } from '../beside.ts';
import { servedFile } from '../environment.ts';
import { listenNear, stopSignal } from '../listening.ts';
import { createLocalRelay, deploySources, writeBeside } from '../local_relay.ts';
import { settingsOf } from '../own_setup.ts';
import { saveConfig, saveSecrets } from '../save_config.ts';
import { noOpen, openBrowser, portNumber } from '../shared_options.ts';

const dev = command({
  name: 'dev',
  summary: 'try the forms in a page on this machine; sends nothing',
  description:
    'show the forms in a page on this machine, and what happens to each submission; sends nothing without --live',
  options: {
    port: option('number', 'the port on 127.0.0.1 (default: $PORT, else 8080)', portNumber),
    noOpen,
    live: flag('really deliver to the outputs'),
  },
  examples: [
    ['relay dev', 'try webform.yaml at the address that it prints'],
    ['relay --config site/webform.yaml dev --port 8081', 'another config on another port'],
    ['relay dev --live', 'submissions go through the real outputs'],
  ],
  run: ({ port, live, noOpen }, { configOption }) => serveStudio(configOption, port, live ?? false, !noOpen),
});

export const plugin: Plugin = { name: 'dev', commands: [dev] };

/** How often the config file is checked. Polls, because editors replace files, and network drives send no events. */
const watchMs = 100;

/** Shows the studio on 127.0.0.1 until SIGTERM or SIGINT. */
async function serveStudio(
  config: string | undefined,
  port: number | undefined,
  live: boolean,
  opens: boolean,
): Promise<void> {
  const file = servedFile(config);
  const { port: ownPort } = settingsOf(process.env);
  const report = reporter(file, live);
  const studio = createStudio({
    // The inbox shows what happens to submissions, so the log reports only bugs.
    services: {
      log: (level, event, fields) =>
        event === 'internal_error' &&
        process.stderr.write(`${JSON.stringify({ level, event, ...fields })}\n`),
    },
    file: {
      name: file,
      path: resolve(file),
      readSibling: siblingsOf(file),
      load: async (parse) => {
        const text = await readConfig(file);
        const result = text.ok ? await parse(text.value) : unreadable(file, text);
        await report(result);
        return { text: text.ok ? text.value : undefined, result };
      },
      save: (text, expected) => saveConfig(file, text, expected),
    },
    asset: readAsset,
    isDelivering: live,
    saveSecrets: (values) => saveSecrets(file, values, process.env),
    publishing: {
      local: (changed) => createLocalRelay(file, changed),
      sources: deploySources,
      writeFiles: (files) => writeBeside(dirname(resolve(file)), files),
    },
  });
  const stopWatching = watch(file, () => void studio.reload());
  await studio.reload();

  let used = 0;
  const key = createOwnerKey('studio', () => used);
  const server = createStudioServer(studio, key);
  const wanted = port ?? ownPort;
  used = await listenNear(server, port, ownPort);
  const instead = used === wanted || wanted === 0 ? '' : ` (port ${wanted} is in use)`;
  const formCount = studio.formCount();
  const unread = existsSync(file) ? 'does not load yet' : 'a new file';
  const forms = formCount === undefined ? unread : count(formCount, 'form');
  const promise = live ? 'really deliver to the outputs' : 'nothing leaves this machine';

  const stopped = stopSignal();
  process.stdout.write(
    `Open http://127.0.0.1:${used}/?key=${key.key} for the studio${instead} with ${file} (${forms}); ${promise}\n`,
  );
  if (opens) openBrowser(`http://127.0.0.1:${used}/?key=${key.once()}`);

  await stopped;
  stopWatching();
  // Ends at once, even if pages are open and slow deliveries in progress.
  process.exit();
}

/**
 * Prints the config's problems whenever they change, and when the config loads again. An example address does
 * no harm until the outputs really deliver.
 */
function reporter(file: string, live: boolean): (loaded: ParseResult) => Promise<void> {
  let before = '';
  let isBroken = false;
  return async (loaded) => {
    // The page starts with a new file.
    if (!loaded.ok && before === '' && !existsSync(file)) return;
    const problems = loaded.ok
      ? (await loaded.value.warnings()).filter(({ code }) => live || !code?.endsWith('_address_reserved'))
      : loaded.error;
    const wrong = showProblems(problems, process.stderr);
    if (wrong !== before && wrong !== '') process.stderr.write(`${wrong}\n`);
    if (loaded.ok && isBroken)
      process.stdout.write(`${file} loads again (${count(loaded.value.forms.size, 'form')})\n`);
    before = wrong;
    isBroken = !loaded.ok;
  };
}

/** Calls back when the file was changed, created or removed and then stayed the same, because it may still be being written. */
function watch(file: string, then: () => void): () => void {
  const look = () => {
    try {
      const { ino, mtimeMs, size } = statSync(file);
      return `${ino} ${mtimeMs} ${size}`;
    } catch {
      return 'not there';
    }
  };
  let seen = look();
  let isChanged = false;
  const timer = setInterval(() => {
    const now = look();
    if (now === seen && isChanged) then();
    isChanged = now !== seen;
    seen = now;
  }, watchMs).unref();
  return () => clearInterval(timer);
}

/** A file of the studio's page. */
export const readAsset = async (name: Asset): Promise<string> =>
  Buffer.from(await readBeside(name)).toString('utf8');
