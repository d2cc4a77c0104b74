import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startKeptServer } from './kept_server.ts';

/** Debian installs its programs here, outside PATH. */
const versions = '/usr/lib/postgresql';
const [version] = existsSync(versions)
  ? readdirSync(versions).sort((one, other) => Number(other) - Number(one))
  : [];
const programs = join(versions, version ?? '', 'bin');

/** Whether Debian's `postgresql` is installed, or required. */
export const hasPostgres = Boolean(process.env.REQUIRE_POSTGRES) || existsSync(join(programs, 'postgres'));
if (!hasPostgres) console.warn('SKIPPED: without postgresql, its store is not tested');

/** PostgreSQL refuses to run as root, so it runs as Debian's postgres user. */
const asUser =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

const command = (program: string, options: string) =>
  [...asUser, join(programs, program), ...options.split(' ')] as [string, ...string[]];

/** A client's first message: protocol version, then user and database. */
const hello = Buffer.from('\0\0\0\x26\0\x03\0\0user\0relay\0database\0postgres\0\0');

/** A real PostgreSQL that accepts the user `relay` without a password. */
export async function startPostgres() {
  const server = await startKeptServer({
    name: 'postgres',
    prepare: (folder) => {
      chmodSync(folder, 0o777);
      const options = `-D ${folder}/data -U relay -A trust -E UTF8 --no-sync --locale=C.UTF-8`;
      const [init, ...words] = command('initdb', options);
      execFileSync(init, words, { stdio: 'ignore', cwd: '/' });
    },
    command: (port, folder) => [...command('postgres', `-D ${folder}/data -p ${port} -h 127.0.0.1 -k`), ''],
    hello,
    isReady: (answer) => answer.toString('latin1', 0, 1) === 'R',
  });
  /** A new database without a schema. */
  return { ...server, url: `postgres://127.0.0.1:${server.port}/postgres` };
}
