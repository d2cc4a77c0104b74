/** The configs of a folder's clients as one: each is loaded by itself, so that a mistake in one costs no other. */
import { promises } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import { Cache } from '@form-relay/config/cache';
import { type ParseResult, registryFor } from '@form-relay/config/parse';
import { type ConfigSource, fileSource } from '@form-relay/config/source';
import type { Config, ConfigCache, ConfigState, LoadResult, Registry } from '@form-relay/core/config';
import type { Services } from '@form-relay/core/services';
import type { Outcome } from '@form-relay/core/submission';
import type { Problem } from '@form-relay/yaml/problem';
import type { ReadText } from '@form-relay/yaml/siblings';
import { type Client, clientsIn, mostBytes, operatorFile, siblingsOf } from './folder.ts';
import { asOperator, type Operator, operatorOf, type ParseOne, rulesOf } from './rules.ts';

export interface ClientConfigsOptions {
  readonly parse: ParseOne;
  /** Whether the process freezes between requests: then requests wait a moment for changes. */
  readonly freezes?: boolean | undefined;
  /** Called for each config that was read, with what it needs. */
  readonly onRead?: ((config: Config) => void) | undefined;
  /** Called whenever the forms are others. */
  readonly onLoad?: ((config: Config) => void) | undefined;
}

/** A client, what is wrong with its files, and its forms as they are served. */
export interface ClientStatus {
  readonly client: Client;
  readonly config: Config | undefined;
  readonly state: ConfigState;
  readonly problems: readonly Problem[];
}

/** The pause before the files are looked at again. */
const scanMs = 1_000;
/** Editors replace a file, so that it is missing for a moment. */
const replaceMs = 100;
/** A file that was not changed is read again nevertheless: its clock may be wrong, and what failed may pass. */
const readAgainMs = 30_000;
/** How long a request of a process that freezes waits for changes. */
const patienceMs = 250;

type ReadServices = Pick<Services, 'now' | 'log' | 'readFile' | 'sleep' | 'env' | 'repeat'>;

/** A file of the folder that is loaded by itself. */
class Member {
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
    // It goes on as it is, unless it loads anew.
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
        const isTooLong = size > mostBytes && err('the file is over 1 MB');
        const read = problem ? err(problem) : isTooLong || (await inner.read());
        if (!read.ok) this.problems = [unread(file, read.error)];
        return read;
      },
    };
    const parse = async (text: string) => {
      const result = await this.parse(text, source);
      this.problems = result.ok ? [] : result.error;
      return result;
    };
    const { onLoad } = this;
    return new Cache(source, this.services, { ttlMs: Infinity, patienceMs: readAgainMs, parse, onLoad });
  }
}

const statsOf = (file: string): Promise<string> =>
  promises.stat(file).then(
    ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
    () => 'missing',
  );

const unread = (file: string, message: string): Problem => ({
  severity: 'error',
  file,
  line: 1,
  column: 1,
  path: '',
  code: 'config_unreadable',
  message,
  excerpt: '',
});

/** `/api/v1/submit/acme/contact`, and whatever follows the form. */
const paths = /^\/(f|api\/v1\/[a-z-]+)(?:\/([^/]*(?:\/|%2F)[^/]*)(\/[\w.-]+)?)?$/i;

/** Serves the forms of all clients as one config, in which each is `client/form`. */
export class ClientConfigs implements ConfigCache {
  readonly paths = paths;
  current: Config | undefined;
  checkedAt: number | undefined;
  /** By their files. */
  readonly #members = new Map<string, Member>();
  #operator: Member | undefined;
  #rules: Operator | undefined;
  #scanning: Promise<void> | undefined;
  #scannedAt = -Infinity;
  #isChanged = false;
  #unreadable: string | undefined;
  #isStarting = true;
  readonly #stop: (() => void) | undefined;

  constructor(
    /** The folder. */
    readonly sourceName: string,
    private readonly services: ReadServices,
    private readonly options: ClientConfigsOptions,
  ) {
    if (!options.freezes) this.#stop = services.repeat(scanMs, () => void this.get());
  }

  get(): Config | undefined | Promise<Config | undefined> {
    const { current } = this;
    const ageMs = Math.abs(this.services.now() - this.#scannedAt);
    if (ageMs >= scanMs) this.#scan();
    if (!this.#scanning || (current && !this.options.freezes)) return current;
    const scanned = this.#scanning.then(() => this.current);
    return current ? withTimeout(patienceMs, scanned, () => this.current) : scanned;
  }

  reload(): void {
    for (const member of [...this.#members.values(), this.#operator]) member?.renew();
    this.#scannedAt = -Infinity;
    void this.get();
  }

  close(): void {
    this.#stop?.();
  }

  get state(): ConfigState {
    if (!this.current) return 'never_loaded';
    const isFresh = this.#unreadable === undefined && this.statuses().every(({ state }) => state === 'fresh');
    return isFresh && this.#operator?.cache.state !== 'refresh_failed' ? 'fresh' : 'refresh_failed';
  }

  get loads(): Readonly<Record<LoadResult, number>> {
    const all = { changed: 0, unchanged: 0, invalid: 0, unavailable: 0 };
    for (const { loads } of this.#caches()) for (const result of results) all[result] += loads[result];
    return all;
  }

  /** The clients, by name. */
  statuses(): readonly ClientStatus[] {
    return [...this.#members.values()]
      .map(({ client, cache, problems }) => ({
        client,
        config: cache.current,
        state: cache.state,
        problems,
      }))
      .toSorted((a, b) => (a.client.file < b.client.file ? -1 : 1));
  }

  /** Why there is no config at all. */
  get failure(): readonly Problem[] {
    if (this.#unreadable !== undefined) return [unread(this.sourceName, this.#unreadable)];
    return this.#operator?.problems ?? [];
  }

  *#caches(): Iterable<ConfigCache> {
    if (this.#operator) yield this.#operator.cache;
    for (const { cache } of this.#members.values()) yield cache;
  }

  #scan(): void {
    if (this.#scanning !== undefined) return;
    this.#scanning = this.#look()
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
    await this.#lookAtOperator();
    if (!this.#rules) return;
    this.#drop(found.value);
    for (const client of found.value) this.#memberOf(client).client = client;
    await Promise.all([...this.#members.values()].map((one) => one.look()));
    this.checkedAt = this.services.now();
    if (this.#isChanged || !this.current) this.#merge();
  }

  /** A file that has gone is looked for again. A folder without any is probably not mounted. */
  async #list(): Promise<Result<readonly Client[], string>> {
    const listed = async () => {
      const found = await clientsIn(this.sourceName);
      return found.ok && found.value.length === 0 && this.#members.size > 0
        ? err('it has no client any more; all go on as they were')
        : found;
    };
    const found = await listed();
    const files = new Set(found.ok ? found.value.map(({ file }) => file) : []);
    if ([...this.#members.keys()].every((file) => files.has(file))) return found;
    await this.services.sleep(replaceMs);
    return listed();
  }

  async #lookAtOperator(): Promise<void> {
    const file = join(this.sourceName, operatorFile);
    let read: unknown;
    const document = (written: unknown) => {
      read = written;
      return asOperator.rewrite.document(written);
    };
    const rules = { ...asOperator, rewrite: { ...asOperator.rewrite, document } };
    this.#operator ??= new Member(
      { name: '', file, folder: undefined, prefix: '', problem: undefined },
      { ...this.services, log: this.#log(), readFile: readOrEmpty(file, this.services.readFile) },
      siblingsOf(this.sourceName, undefined, () => true),
      (text, source) => this.options.parse(text, { ...source, pluginFolder: this.sourceName }, rules),
      (config) => {
        this.#rules = operatorOf(read, config);
        // What it says is a part of the config of each client.
        for (const member of this.#members.values()) member.renew();
        this.#isChanged = true;
        this.options.onRead?.(config);
      },
    );
    await this.#operator.look();
  }

  #drop(found: readonly Client[]): void {
    const files = new Set(found.map(({ file }) => file));
    for (const [key, { client, cache }] of this.#members) {
      if (files.has(key)) continue;
      this.#members.delete(key);
      this.#isChanged = true;
      const forms = cache.current?.forms.size ?? 0;
      this.services.log('warn', 'client_removed', { client: client.name, config: client.file, forms });
    }
  }

  #memberOf(client: Client): Member {
    const known = this.#members.get(client.file);
    if (known) return known;
    this.#isChanged = true;
    const made = new Member(
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
    this.#members.set(client.file, made);
    return made;
  }

  /** One line tells of all that load at the start. */
  #log =
    (about: object = {}): Services['log'] =>
    (level, event, fields) => {
      if (!this.#isStarting || event !== 'config_loaded')
        this.services.log(level, event, { ...about, ...fields });
    };

  #fail(reason: string): void {
    if (this.#unreadable !== reason) {
      const serving = this.current ? 'the last good configs' : 'nothing';
      this.services.log('error', 'config_unavailable', { config: this.sourceName, reason, serving });
    }
    this.#unreadable = reason;
  }

  #merge(): void {
    const operator = this.#operator?.cache.current;
    if (!operator) return;
    this.#isChanged = false;
    const all = this.statuses();
    this.current = merged(operator, all);
    if (this.#isStarting) {
      const broken = all.flatMap(({ client, config }) => (config ? [] : client.name));
      this.services.log(broken.length > 0 ? 'error' : 'info', 'clients_loaded', {
        config: this.sourceName,
        clients: all.length - broken.length,
        forms: this.current.forms.size,
        ...(broken.length > 0 && { broken: broken.slice(0, mostNamed) }),
      });
    }
    this.#isStarting = false;
    this.options.onLoad?.(this.current);
  }
}

const mostNamed = 20;
const results = ['changed', 'unchanged', 'invalid', 'unavailable'] as const;

/** The operator need not have a file. */
const readOrEmpty =
  (file: string, readFile: Services['readFile']): Services['readFile'] =>
  async (path) => {
    const isThere = path !== file || (await statsOf(path)) !== 'missing';
    return isThere ? readFile(path) : ok({ text: '{}', modifiedAt: 0 });
  };

/** One config of all. What a client lacks keeps no other from being ready. */
function merged(operator: Config, clients: readonly ClientStatus[]): Config {
  const configs = clients.flatMap(({ config }) => config ?? []);
  const served = new Set(clients.flatMap(({ client, config }) => (config ? client.name : [])));
  const known = new Set(clients.map(({ client }) => client.name));
  return {
    ...operator,
    cacheTtlMs: Infinity,
    forms: new Map(configs.flatMap(({ forms }) => [...forms])),
    further: [operator, ...configs].flatMap(({ further }) => further),
    registry: registryOf([operator, ...configs].map(({ registry }) => registry)),
    warnings: async () => (await Promise.all(configs.map((one) => one.warnings()))).flat(),
    clients: {
      of: (formId) => {
        const name = clientOf(formId);
        return known.has(name) ? name : '';
      },
      missing: (formId) => {
        const name = clientOf(formId);
        return known.has(name) && !served.has(name) ? unavailable(name) : undefined;
      },
    },
  };
}

const clientOf = (formId: string): string => formId.split('/', 1)[0] ?? '';

const unavailable = (client: string): Outcome => ({
  kind: 'client_unavailable',
  status: 503,
  message: { code: 'no_config' },
  headers: { 'retry-after': '60' },
  why: `the config of the client ${client} does not load`,
  level: 'error',
  isFrequent: true,
});

/** The plug-ins of all, in the order in which each config has them. */
const registryOf = (all: readonly Registry[]): Registry => {
  const plugins = new Set(all.flatMap((one) => one.plugins));
  return { ...registryFor([...plugins]), paths };
};

/** The folder's configs, read once: for commands. The problems of one client keep none from using the others. */
export async function inspectClients(
  folder: string,
  services: ReadServices,
  parse: ParseOne,
): Promise<Result<Config & { readonly statuses: readonly ClientStatus[] }, readonly Problem[]>> {
  const configs = new ClientConfigs(folder, services, { parse, freezes: true });
  const config = await configs.get();
  if (!config) return err(configs.failure);
  const statuses = configs.statuses();
  const problems = statuses.flatMap((one) => one.problems);
  return ok({
    ...config,
    env: [...config.env, ...statuses.flatMap(({ config: own }) => own?.env ?? [])],
    warnings: async () => [...problems, ...(await config.warnings())],
    statuses,
  });
}
