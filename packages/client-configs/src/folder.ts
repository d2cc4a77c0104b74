/** The folder in CONFIG_DIR: `acme.yaml`, or `acme/webform.yaml` with files beside it, and the operator's `_relay.yaml`. */
import { promises, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ownersText } from '@form-relay/base/owners_text';
import { err, ok, type Result } from '@form-relay/base/result';
import { whyUnreadable } from '@form-relay/base/text_file';
import { clients as known } from '@form-relay/base/url';
import type { ReadText } from '@form-relay/yaml/config_text';

/** The operator's keys for all clients. */
export const operatorFile = '_relay.yaml';

export interface Client {
  readonly name: string;
  readonly file: string;
  /** The folder with the client's files. `undefined`: a config without a folder may not name files. */
  readonly folder: string | undefined;
  /** The prefix of the client's environment variables. No client's prefix begins with another's. */
  readonly prefix: string;
  /** Why the client cannot be served, whatever its file contains. */
  readonly problem: string | undefined;
}

/** The first words in the names of variables that belong to the relay or to the programs that run it. */
const reserved = new Set(
  [
    'allowed audit aws azure body bun cache client clients cloudflare config connection container deno docker',
    'elastic force form github google home host http https inbox invocation journal keep kubernetes lambda listen',
    'log mail metrics nats no node notify npm otel port proxy public receipt relay reuse secrets smtp ssl ssh',
    'submission systemd throttle tls trusted upload uv xdg',
  ].flatMap((line) => line.split(' ')),
);

/** Whether a variable belongs to the relay or to the programs that run it. */
export const isOwnVariable = (name: string): boolean =>
  reserved.has(name.split('_', 1)[0]?.toLowerCase() ?? '');

/** Whether a path names a folder of clients. */
export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Why the name of a client is invalid. Names become part of URLs, file names and variable names. */
function whyUnfit(name: string): string | undefined {
  if (!/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(name))
    return "a client's name can have up to 63 characters: a to z, 0 to 9, and hyphens between them";
  if (isOwnVariable(prefixOf(name)))
    return `variables that start with ${prefixOf(name)} belong to the relay; choose another name`;
  return undefined;
}

/**
 * The prefix has no hyphens, so that `ACME_` of one client is not the beginning of another's variable, such
 * as `ACMESHOP_KEY` of acme-shop.
 */
const prefixOf = (name: string): string => `${name.replaceAll('-', '').toUpperCase()}_`;

/** The clients in a folder, by name, or why the folder cannot be read. */
export async function clientsIn(root: string): Promise<Result<readonly Client[], string>> {
  let entries: readonly { readonly name: string; readonly isFile: boolean }[];
  let base: string;
  try {
    base = await promises.realpath(root);
    const all = (await promises.readdir(base)).filter((name) => !/^[._]/.test(name));
    entries = (
      await Promise.all(
        all.map(async (name) => {
          if (/\.ya?ml$/i.test(name)) return { name, isFile: true };
          return (await isThere(join(base, name, 'webform.yaml'))) ? { name, isFile: false } : [];
        }),
      )
    ).flat();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return err(code === 'ENOENT' ? 'the folder does not exist' : whyUnreadable(error));
  }
  const named = entries.map(({ name: entry, isFile }) => {
    const name = isFile ? entry.replace(/\.ya?ml$/i, '') : entry;
    known.add(name);
    return { entry, name, isFile, prefix: prefixOf(name) };
  });
  const clients = named.map(async ({ entry, name, isFile, prefix }): Promise<Client> => {
    const file = isFile ? join(root, entry) : join(root, entry, 'webform.yaml');
    const folder = isFile ? undefined : join(base, entry);
    const twin = named.find((one) => one.entry !== entry && one.prefix === prefix);
    const problem =
      (isFile && !entry.endsWith('.yaml') && `the name must end with .yaml: ${name}.yaml`) ||
      whyUnfit(name) ||
      (twin && whyBoth(entry, twin.entry, prefix)) ||
      ((await isSound(file, folder, base)) ? undefined : 'a link that points outside its folder');
    return { name, file, folder, prefix, problem };
  });
  return ok(await Promise.all(clients));
}

const whyBoth = (entry: string, other: string, prefix: string): string =>
  entry.replace(/\.yaml$/, '') === other.replace(/\.yaml$/, '')
    ? `${entry} and ${other} are for the same client; remove one of them`
    : `${entry} and ${other} would share the variables ${prefix}…; rename one of them`;

const isThere = (path: string): Promise<boolean> =>
  promises.lstat(path).then(
    () => true,
    () => false,
  );

/** Whether a path stays in this folder after all links are resolved. */
async function staysIn(path: string, folder: string): Promise<boolean> {
  const way = relative(folder, await promises.realpath(path).catch(() => resolve(path)));
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

/**
 * Whether a client's file is inside the folder, but not inside another client's. Kubernetes mounts files as
 * links to a folder whose name begins with `..`.
 */
async function isSound(file: string, folder: string | undefined, base: string): Promise<boolean> {
  if (folder !== undefined) return (await staysIn(folder, base)) && staysIn(file, folder);
  const real = await promises.realpath(file).catch(() => file);
  return (await staysIn(file, base)) && /^(\.\.|[^\\/]*$)/.test(relative(base, real));
}

/**
 * Reads a file named in a client's config, from the client's folder. Files that the operator names are read
 * from the folder of all clients.
 */
export const siblingsOf =
  (root: string, client: Client | undefined, isOperators: (path: string) => boolean): ReadText =>
  async (path) => {
    if (isOperators(path)) return readOnce(isAbsolute(path) ? path : join(root, path));
    const { folder } = client ?? {};
    if (folder === undefined)
      return err(
        `a config that reads files needs a folder of its own; move it to ${client?.name}/webform.yaml`,
      );
    const file = join(folder, path);
    if (isAbsolute(path) || !(await staysIn(file, folder)))
      return err('a client may read only files in its own folder');
    return readOnce(file);
  };

/** Large enough for hundreds of forms, and small enough for a thousand clients in memory. */
export const mostBytes = 1_048_576;

async function readOnce(path: string): Promise<Result<string, string>> {
  try {
    const { size } = await promises.stat(path);
    return size > mostBytes ? err('the file is over 1 MB') : ownersText(await promises.readFile(path));
  } catch (error) {
    return err(whyUnreadable(error));
  }
}
