import { basename, dirname } from 'node:path';
import type { Disk, DiskFile } from '../../../packages/relay/src/keeping/stores/folder/disk.ts';

/** A file: what is in memory, and what of it is on the disk. */
interface File {
  readonly kind: 'file';
  bytes: Buffer;
  durable: Buffer;
}

interface Folder {
  readonly kind: 'folder';
  readonly entries: Map<string, Node>;
}

type Node = File | Folder;

/** A change of names. It is on the disk when one of its folders is; until then it may be, or not. */
interface Change {
  readonly folders: readonly Folder[];
  readonly apply: () => void;
  isDurable: boolean;
}

/** How the machine ends: a process that is killed takes nothing with it, a power failure what was not synced. */
export interface PowerFailure {
  /** Whether what was not synced is on the disk nevertheless, asked for each change and each file. */
  readonly keeps: () => boolean;
}

/** A disk as POSIX promises it, and not better: only what was synced survives a power failure. */
export interface ModelDisk {
  readonly disk: Disk;
  fail(failure: PowerFailure): void;
  /** Paths of all files. */
  files(): readonly string[];
}

export function createModelDisk(root: string): ModelDisk {
  const top: Folder = { kind: 'folder', entries: new Map() };
  const changes: Change[] = [];
  const files = new Set<File>();

  const folderAt = (path: string): Folder => {
    const node = nodeAt(path);
    if (node.kind !== 'folder') throw problem('ENOTDIR');
    return node;
  };
  function nodeAt(path: string): Node {
    if (path === root) return top;
    const node = folderAt(dirname(path)).entries.get(basename(path));
    if (!node) throw problem('ENOENT');
    return node;
  }
  function change(folders: readonly Folder[], apply: () => void): void {
    apply();
    changes.push({ folders, apply, isDurable: false });
  }
  const add = (path: string, node: Node) => {
    const folder = folderAt(dirname(path));
    if (folder.entries.has(basename(path))) throw problem('EEXIST');
    change([folder], () => folder.entries.set(basename(path), node));
  };
  const drop = (path: string, node: Node) => {
    const folder = folderAt(dirname(path));
    change([folder], () => remove(folder, basename(path), node));
  };
  const remove = (folder: Folder, name: string, node: Node) => {
    if (folder.entries.get(name) === node) folder.entries.delete(name);
  };

  const disk: Disk = {
    async *list(path) {
      for (const [name, node] of [...folderAt(path).entries])
        yield { name, isFile: node.kind === 'file', isFolder: node.kind === 'folder' };
    },
    makeFolder: async (path) => add(path, { kind: 'folder', entries: new Map() }),
    isFolder: async (path) => nodeAt(path).kind === 'folder',
    isThere: async (path) => {
      try {
        nodeAt(path);
        return true;
      } catch {
        return false;
      }
    },
    create: async (path) => {
      const file: File = { kind: 'file', bytes: Buffer.alloc(0), durable: Buffer.alloc(0) };
      add(path, file);
      files.add(file);
      return open(file);
    },
    open: async (path) => {
      const file = nodeAt(path);
      if (file.kind !== 'file') throw problem('EISDIR');
      return open(file);
    },
    rename: async (from, to) => {
      const node = nodeAt(from);
      const [source, target] = [folderAt(dirname(from)), folderAt(dirname(to))];
      change([source, target], () => {
        remove(source, basename(from), node);
        target.entries.set(basename(to), node);
      });
    },
    remove: async (path) => drop(path, nodeAt(path)),
    removeFolder: async (path) => {
      const folder = folderAt(path);
      if (folder.entries.size > 0) throw problem('ENOTEMPTY');
      drop(path, folder);
    },
    syncFolder: async (path) => {
      const folder = folderAt(path);
      for (const one of changes) one.isDurable ||= one.folders.includes(folder);
    },
  };

  const open = (file: File): DiskFile => ({
    write: async (pieces, at) => {
      const bytes = Buffer.concat(pieces);
      const grown = Buffer.alloc(Math.max(file.bytes.length, at + bytes.length));
      grown.set(file.bytes);
      grown.set(bytes, at);
      file.bytes = grown;
    },
    read: async (most) => Buffer.from(file.bytes.subarray(0, most)),
    readAll: async (most) => (file.bytes.length > most ? undefined : Buffer.from(file.bytes)),
    sync: async () => {
      file.durable = file.bytes;
    },
    close: async () => {},
  });

  return {
    disk,
    fail({ keeps }) {
      const survived = changes.filter((one) => one.isDurable || keeps());
      for (const { folders } of changes) for (const folder of folders) folder.entries.clear();
      for (const { apply } of survived) apply();
      changes.splice(0, changes.length, ...survived);
      for (const one of changes) one.isDurable = true;
      for (const file of files) {
        file.bytes = keeps() ? file.bytes : file.durable;
        file.durable = file.bytes;
      }
    },
    files: () => {
      const walk = (folder: Folder, path: string): string[] =>
        [...folder.entries].flatMap(([name, node]) =>
          node.kind === 'file' ? [`${path}/${name}`] : walk(node, `${path}/${name}`),
        );
      return walk(top, '');
    },
  };
}

const problem = (code: string) => Object.assign(new Error(code), { code });

/** What a disk is asked, one call after the other. */
export type Intercept = (
  call: string,
) => 'goes on' | 'dies before' | 'dies after' | 'dies in the middle' | Error;

/**
 * The same disk, with somebody who decides over each call. After a death, nothing is asked and nothing is answered, and what
 * was open is closed.
 */
export function intercepted(disk: Disk, decide: Intercept, died: () => void): Disk {
  const never = new Promise<never>(() => {});
  const open = new Set<() => unknown>();
  let isDead = false;
  const die = () => {
    isDead = true;
    for (const close of open) void Promise.resolve(close()).catch(() => {});
    open.clear();
    died();
    return never;
  };
  const each =
    (name: string, call: (...args: never[]) => unknown, closed = () => {}) =>
    async (...args: unknown[]): Promise<unknown> => {
      if (isDead) return never;
      const verdict = decide(name);
      if (verdict instanceof Error) throw verdict;
      if (verdict === 'dies before') return die();
      if (verdict === 'dies in the middle' && name === 'write') {
        const [pieces, at] = args as [Uint8Array[], number];
        const bytes = Buffer.concat(pieces);
        await call(...([[bytes.subarray(0, Math.floor(bytes.length / 2))], at] as never[]));
        return die();
      }
      const result = await call(...(args as never[]));
      if (name === 'close') closed();
      const file = name === 'create' || name === 'open' ? wrapFile(result as DiskFile) : undefined;
      if (isDead || verdict !== 'goes on') return die();
      return file ?? result;
    };
  function wrap<T extends object>(all: T, closed?: () => void): T {
    return Object.fromEntries(
      Object.entries(all).map(([name, call]) => [name, each(name, call, closed)]),
    ) as T;
  }
  function wrapFile(file: DiskFile): DiskFile {
    const close = () => file.close();
    open.add(close);
    return wrap(file, () => open.delete(close));
  }
  return {
    ...wrap(disk),
    async *list(folder) {
      if (isDead) await never;
      const verdict = decide('list');
      if (verdict instanceof Error) throw verdict;
      if (verdict !== 'goes on') await die();
      const all = disk.list(folder)[Symbol.asyncIterator]();
      const close = () => all.return?.();
      open.add(close);
      try {
        for (;;) {
          const next = await all.next();
          if (isDead) await never;
          if (next.done) return;
          yield next.value;
        }
      } finally {
        open.delete(close);
        await close();
      }
    },
  };
}
