/**
 * The folder of clients while a relay serves it. Each file is loaded separately, so that a mistake in one
 * does not affect other clients.
 */
import { join } from 'node:path';
import { err, ok, type Result } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Config, ConfigCache, ConfigState, LoadResult } from '@form-relay/core/config';
import type { Services } from '@form-relay/core/services';
import type { Problem } from '@form-relay/yaml/problem';
import { type Client, clientsIn, operatorFile, siblingsOf } from './folder.ts';
import {
  type ClientStatus,
  Member,
  type MergedConfig,
  merge,
  paths,
  type ReadServices,
  statsOf,
  unread,
} from './members.ts';
import { asOperator, type Operator, operatorOf, type ParseOne, rulesOf } from './rules.ts';

export interface ClientConfigsOptions {
  readonly parse: ParseOne;
  /** Whether the process freezes between requests. If so, requests wait a moment for changes. */
  readonly freezes?: boolean | undefined;
  /** Called for each config that was read, with its requirements. */
  readonly onRead?: ((config: Config) => void) | undefined;
  /** Called when the forms change, or when other clients fail to load. */
  readonly onLoad?: ((config: Config) => void) | undefined;
}

/** The interval between checks of the files. */
const scanMs = 1_000;
/** Editors replace a file, so it is missing for a moment. */
const replaceMs = 100;
/** How long a request waits for changes in a process that freezes. */
const patienceMs = 250;
const mostNamed = 20;

/** Serves the forms of all clients as one config, in which each form is named `client/form`. */
export class ClientConfigs implements ConfigCache {
  readonly paths = paths;
  current: MergedConfig | undefined;
  checkedAt: number | undefined;
  /** Members by their file. */
  readonly #members = new Map<string, Member>();
  readonly #operator: Member;
  #rules: Operator | undefined;
  #scanning: Promise<void> | undefined;
  #scannedAt = -Infinity;
  /** Whether the forms differ from those in `current`. */
  #isChanged = true;
  #broken = '';
  #unreadable: string | undefined;
  readonly #stop: (() => void) | undefined;

  constructor(
    /** The path of the folder. */
    readonly sourceName: string,
    private readonly services: ReadServices,
    private readonly options: ClientConfigsOptions,
  ) {
    this.#operator = this.#openOperator(join(sourceName, operatorFile));
    if (!options.freezes) this.#stop = services.repeat(scanMs, () => void this.get());
  }

  get(): MergedConfig | undefined | Promise<MergedConfig | undefined> {
    const { current } = this;
    if (Math.abs(this.services.now() - this.#scannedAt) >= scanMs) this.#scan();
    if (!this.#scanning || (current && !this.options.freezes)) return current;
    const scanned = this.#scanning.then(() => this.current);
    return current ? withTimeout(patienceMs, scanned, () => this.current) : scanned;
  }

  reload(): void {
    for (const member of [this.#operator, ...this.#members.values()]) member.renew();
    this.#scannedAt = -Infinity;
    void this.get();
  }

  close(): void {
    this.#stop?.();
  }

  get state(): ConfigState {
    if (!this.current) return 'never_loaded';
    const isFresh = this.#unreadable === undefined && this.#caches.every(({ state }) => state === 'fresh');
    return isFresh ? 'fresh' : 'refresh_failed';
  }

  get loads(): Readonly<Record<LoadResult, number>> {
    const sum = (result: LoadResult) => this.#caches.reduce((all, { loads }) => all + loads[result], 0);
    return {
      changed: sum('changed'),
      unchanged: sum('unchanged'),
      invalid: sum('invalid'),
      unavailable: sum('unavailable'),
    };
  }

  /** Why no config can be served at all. */
  get failure(): readonly Problem[] {
    return this.#unreadable === undefined
      ? this.#operator.problems
      : [unread(this.sourceName, this.#unreadable)];
  }

  get #caches(): readonly ConfigCache[] {
    return [this.#operator, ...this.#members.values()].map(({ cache }) => cache);
  }

  #scan(): void {
    this.#scanning ??= this.#look()
      .catch((error: Error) => this.#fail(error.message))
      .then(() => {
        this.#scanning = undefined;
        this.#scannedAt = this.services.now();
      });
  }

  async #look(): Promise<void> {
    const found = await this.#list();
    if (!found.ok) return this.#fail(found.error);
    this.#unreadable = undefined;
    await this.#operator.look();
    if (!this.#rules) return;
    this.#follow(found.value);
    await Promise.all([...this.#members.values()].map((one) => one.look()));
    this.checkedAt = this.services.now();
    this.#merge();
  }

  /** Looks again for a file that disappeared. If the folder has no more clients, its volume is probably not mounted. */
  async #list(): Promise<Result<readonly Client[], string>> {
    const listed = async () => {
      const found = await clientsIn(this.sourceName);
      const isEmpty = found.ok && found.value.length === 0 && this.#members.size > 0;
      return isEmpty ? err('the folder no longer has clients; all keep their last config') : found;
    };
    const found = await listed();
    const files = new Set(found.ok ? found.value.map(({ file }) => file) : []);
    if ([...this.#members.keys()].every((file) => files.has(file))) return found;
    await this.services.sleep(replaceMs);
    return listed();
  }

  #openOperator(file: string): Member {
    let read: unknown;
    const document = (written: unknown) => {
      read = written;
      return asOperator.rewrite.document(written);
    };
    const rules = { ...asOperator, rewrite: { ...asOperator.rewrite, document } };
    // The operator's file is optional.
    const readFile: Services['readFile'] = async (path) =>
      path === file && (await statsOf(path)) === 'missing'
        ? ok({ text: '{}', modifiedAt: 0 })
        : this.services.readFile(path);
    return new Member(
      { name: '', file, folder: undefined, prefix: '', problem: undefined },
      { ...this.services, log: this.#log(), readFile },
      siblingsOf(this.sourceName, undefined, () => true),
      (text, source) => this.options.parse(text, { ...source, pluginFolder: this.sourceName }, rules),
      (config) => {
        this.#rules = operatorOf(read, config);
        // The operator's keys are part of each client's config.
        for (const member of this.#members.values()) member.renew();
        this.#isChanged = true;
        this.options.onRead?.(config);
      },
    );
  }

  #follow(found: readonly Client[]): void {
    const files = new Set(found.map(({ file }) => file));
    for (const [file, { client, cache }] of this.#members) {
      if (files.has(file)) continue;
      this.#members.delete(file);
      this.#isChanged = true;
      const forms = cache.current?.forms.size ?? 0;
      this.services.log('warn', 'client_removed', { client: client.name, config: file, forms });
    }
    for (const client of found) {
      const member = this.#members.get(client.file);
      if (member) member.client = client;
      else this.#members.set(client.file, this.#open(client));
    }
  }

  #open(client: Client): Member {
    return new Member(
      client,
      { ...this.services, log: this.#log({ client: client.name }) },
      siblingsOf(this.sourceName, client, (path) => this.#rules?.texts.has(path) === true),
      (text, source) => {
        const rules = rulesOf(client, this.#rules as Operator, this.services.env);
        return this.options.parse(text, { ...source, pluginFolder: this.sourceName }, rules);
      },
      (config) => {
        this.#isChanged = true;
        this.options.onRead?.(config);
      },
    );
  }

  /** At the start, a single line lists all clients that loaded. */
  #log =
    (about: object = {}): Services['log'] =>
    (level, event, fields) => {
      if (this.current || event !== 'config_loaded') this.services.log(level, event, { ...about, ...fields });
    };

  #fail(reason: string): void {
    if (this.#unreadable !== reason) {
      const serving = this.current ? 'the last good configs' : 'nothing';
      this.services.log('error', 'config_unavailable', { config: this.sourceName, reason, serving });
    }
    this.#unreadable = reason;
  }

  #merge(): void {
    const operator = this.#operator.cache.current;
    const all = [...this.#members.values()]
      .map(
        ({ client, cache, problems }): ClientStatus => ({
          client,
          config: cache.current,
          state: cache.state,
          problems,
        }),
      )
      .toSorted((one, other) => (one.client.file < other.client.file ? -1 : 1));
    const broken = all.flatMap(({ client, state }) => (state === 'fresh' ? [] : client.name));
    if (!operator || !(this.#isChanged || broken.join() !== this.#broken)) return;
    this.#isChanged = false;
    this.#broken = broken.join();
    const isFirst = !this.current;
    this.current = merge(operator, all);
    if (isFirst)
      this.services.log(broken.length > 0 ? 'error' : 'info', 'clients_loaded', {
        config: this.sourceName,
        clients: all.length,
        forms: this.current.forms.size,
        ...(broken.length > 0 && { broken: broken.slice(0, mostNamed) }),
      });
    this.options.onLoad?.(this.current);
  }
}

/** Reads the folder's configs once, for commands. Problems of one client do not prevent the use of others. */
export async function inspectClients(
  folder: string,
  services: ReadServices,
  parse: ParseOne,
): Promise<Result<MergedConfig, readonly Problem[]>> {
  const configs = new ClientConfigs(folder, services, { parse, freezes: true });
  const config = await configs.get();
  if (!config) return err(configs.failure);
  const { all } = config.clients;
  return ok({
    ...config,
    warnings: async () => [...all.flatMap(({ problems }) => problems), ...(await config.warnings())],
  });
}
