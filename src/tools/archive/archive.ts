import type { Result } from '../../result.ts';

/** What stands in a folder of an archive: in a directory, or under a prefix of a bucket. */
export interface Thing {
  /** Without the folder. */
  readonly name: string;
  /** `other`: a link, a pipe, a device. Nobody follows or reads one. */
  readonly kind: 'folder' | 'file' | 'other';
}

/** An archive to read. Paths are its own, with `/` between names, and none before the first. */
export interface Archive {
  /** As its owner named it. */
  readonly name: string;
  /**
   * What stands in a folder, the empty path for the whole archive; in the order of names by their bytes. A folder that is
   * not there is empty, but for the archive itself. Throws a `ClientError` when it cannot be listed.
   */
  list(folder: string): AsyncIterable<Thing>;
  /** A file's bytes, or in words why this one cannot be had. Throws a `ClientError` when no other one could either. */
  read(path: string): Promise<Result<Uint8Array, string>>;
}

/** What is wrong with one thing in an archive; the rest can be read all the same. */
export interface Trouble {
  /** `foreign`: it is no part of an archive. `unread`: it is, and what it says stays unknown. */
  readonly kind: 'foreign' | 'unread';
  readonly path: string;
  /** In words. */
  readonly what: string;
}

export type Tell = (trouble: Trouble) => void;
