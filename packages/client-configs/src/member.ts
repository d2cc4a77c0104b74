/** A file of the folder: the config of a client, or the operator's. */
import { promises } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { err } from '@form-relay/base/result';
import { Cache } from '@form-relay/config/cache';
import type { ParseResult } from '@form-relay/config/parse';
import { type ConfigSource, fileSource } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import type { Services } from '@form-relay/core/services';
import type { Problem } from '@form-relay/yaml/problem';
import type { ReadText } from '@form-relay/yaml/siblings';
import { type Client, mostBytes } from './folder.ts';

export type ReadServices = Pick<Services, 'now' | 'log' | 'readFile' | 'sleep' | 'env' | 'repeat'>;

/** A file that was not changed is read again nevertheless: its clock may be wrong, and what failed may pass. */
const readAgainMs = 30_000;

/** Loads its config whenever its files change, and keeps the last good one. */
export class Member {
  problems: readonly Problem[] = [];
  cache: Cache;
  #stats = '';
  #readAt = -Infinity;
  readonly #siblings = new Set<string>();

  constructor(
    public client: Client,
    private readonly services: ReadServices,
    private readonly readSibling: ReadText,
    private readonly parse: (text: string, source: Omit<ConfigSource, 'read'>) => Promise<ParseResult>,
    private readonly onLoad: (config: Config) => void,
  ) {
    this.cache = this.#open();
  }

  /** Has it read again, whatever is known of it. */
  renew(): void {
    const { current, state } = this.cache;
    this.cache = this.#open();
    this.cache.reload();
    // The client goes on with the last config that loaded.
    Object.assign(this.cache, { current, state });
    this.#readAt = -Infinity;
  }

  /** Loads it if its files were changed. */
  async look(): Promise<void> {
    const { file, folder = dirname(file), problem } = this.client;
    const files = [file, ...[...this.#siblings].map((path) => resolve(folder, path))];
    const stats = [problem, ...(await Promise.all(files.map(statsOf)))].join();
    const now = this.services.now();
    if (stats === this.#stats && Math.abs(now - this.#readAt) < readAgainMs) return;
    this.#stats = stats;
    this.#readAt = now;
    this.cache.reload();
    await this.cache.get();
  }

  #open(): Cache {
    const { file } = this.client;
    const { onLoad } = this;
    const inner = fileSource(file, this.services);
    const source: ConfigSource = {
      name: file,
      readSibling: (path) => {
        this.#siblings.add(path);
        return this.readSibling(path);
      },
      read: async () => {
        const { problem } = this.client;
        const size = (await promises.stat(file).catch(() => undefined))?.size ?? 0;
        const why = problem ?? (size > mostBytes ? 'the file is over 1 MB' : undefined);
        const read = why === undefined ? await inner.read() : err(why);
        if (!read.ok) this.problems = [unread(file, read.error)];
        return read;
      },
    };
    const parse = async (text: string) => {
      const result = await this.parse(text, source);
      this.problems = result.ok ? [] : result.error;
      return result;
    };
    return new Cache(source, this.services, { ttlMs: Infinity, patienceMs: readAgainMs, parse, onLoad });
  }
}

/** Size and time of a file, which show that it was changed. */
export const statsOf = (file: string): Promise<string> =>
  promises.stat(file).then(
    ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
    () => 'missing',
  );

export const unread = (file: string, message: string): Problem => ({
  ...{ severity: 'error', code: 'config_unreadable', file, message },
  ...{ line: 1, column: 1, path: '', excerpt: '' },
});
