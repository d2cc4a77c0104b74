import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ParseResult } from '@form-relay/config/parse';
import { createOwnerKey } from '@form-relay/runtimes/owner_key';
import type { Asset } from '@form-relay/studio/files';
import { createStudio } from '@form-relay/studio/studio';
import { createStudioServer } from '@form-relay/studio/studio_server';
import { readBeside } from './beside.ts';
import { servedFile } from './config_path.ts';
import { listenNear } from './listen_near.ts';
import { stopSignal } from './listening.ts';
import { tryConfig } from './load_config.ts';
import { settingsOf } from './make_relay.ts';
import { besideFile, readConfig } from './read_config.ts';
import { saveConfig } from './save_config.ts';
import { count, showProblems } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';

export interface StudioOptions extends GlobalOptions {
  /** Default: PORT, else 8080. */
  readonly port?: number;
  /** Outputs deliver for real. */
  readonly live?: boolean;
  /** The former name of `live`. */
  readonly deliver?: boolean;
}

/** How often the config file is looked at. No events: editors replace files, and network drives send none. */
const watchMs = 100;

/** Shows the studio on 127.0.0.1 until SIGTERM or SIGINT. */
export async function serveStudio({
  port,
  deliver = false,
  live = deliver,
  config,
}: StudioOptions): Promise<void> {
  const file = servedFile(config);
  const { port: ownPort } = settingsOf(process.env);
  const report = reporter(file);
  const studio = createStudio({
    // The inbox shows what happens to submissions. Only bugs are left for the log.
    services: {
      log: (level, event, fields) =>
        event === 'internal_error' &&
        process.stderr.write(`${JSON.stringify({ level, event, ...fields })}\n`),
    },
    file: {
      name: file,
      path: resolve(file),
      readSibling: besideFile(file),
      load: async (parse) => {
        const text = await readConfig(file);
        const result = await (text.ok ? parse(text.value) : tryConfig(file));
        await report(result);
        return { text: text.ok ? text.value : undefined, result };
      },
      save: (text, expected) => saveConfig(file, text, expected),
    },
    asset: readAsset,
    isDelivering: live,
  });
  const stopWatching = watch(file, () => void studio.reload());
  await studio.reload();

  let used = 0;
  const key = createOwnerKey('studio', () => used);
  const server = createStudioServer(studio, key);
  const wanted = port ?? ownPort;
  used = await listenNear(server, port, ownPort);
  const instead = used === wanted || wanted === 0 ? '' : ` (port ${wanted} is taken)`;
  const formCount = studio.formCount();
  const forms = formCount === undefined ? 'it does not load yet' : count(formCount, 'form');
  const promise = live ? 'outputs deliver for real' : 'nothing leaves this machine';

  const stopped = stopSignal();
  process.stdout.write(
    `Open http://127.0.0.1:${used}/?key=${key.key} for the studio${instead} with ${file} (${forms}); ${promise}\n`,
  );

  await stopped;
  stopWatching();
  // At once, though pages are open and slow deliveries under way.
  process.exit();
}

/** Prints what is wrong with the config whenever that changes, and that it loads again. */
function reporter(file: string): (loaded: ParseResult) => Promise<void> {
  let before = '';
  let isBroken = false;
  return async (loaded) => {
    const wrong = showProblems(loaded.ok ? await loaded.value.warnings() : loaded.error, process.stderr);
    if (wrong !== before && wrong !== '') process.stderr.write(`${wrong}\n`);
    if (loaded.ok && isBroken)
      process.stdout.write(`${file} loads again (${count(loaded.value.forms.size, 'form')})\n`);
    before = wrong;
    isBroken = !loaded.ok;
  };
}

/** Calls back when the file was changed, made or removed, and then stayed the same: it may still be being written. */
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
