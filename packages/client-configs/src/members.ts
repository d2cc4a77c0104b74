/** A file of the folder: a client's config, or the operator's file. */
import { promises } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { err } from '@form-relay/base/result';
import { clientOf } from '@form-relay/base/url';
import { Cache } from '@form-relay/config/cache';
import { type ParseResult, registryFor } from '@form-relay/config/parse';
import { type ConfigSource, fileSource } from '@form-relay/config/source';
import type { Config, ConfigState } from '@form-relay/core/config';
import type { Registered, Shared } from '@form-relay/core/plugin';
import type { Services } from '@form-relay/core/services';
import type { Outcome } from '@form-relay/core/submission';
import type { ReadText } from '@form-relay/yaml/config_text';
import { formatProblem, type Problem } from '@form-relay/yaml/problem';
import { type Client, mostBytes } from './folder.ts';

export type ReadServices = Pick<Services, 'now' | 'log' | 'readFile' | 'sleep' | 'env' | 'repeat'>;

/** An unchanged file is read again after this time: its timestamp may be wrong, and errors may be temporary. */
const readAgainMs = 30_000;

/** Loads its config whenever its files change, and keeps the last valid config. */
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

  /** Forces the next check to read the file again. */
  renew(): void {
    const { current, state } = this.cache;
    this.cache = this.#open();
    this.cache.reload();
    // The client continues with the last config that loaded.
    Object.assign(this.cache, { current, state });
    this.#readAt = -Infinity;
  }

  /** Loads the config if its files have changed. */
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

/** Properties of a file that show whether it has changed. */
export const statsOf = (file: string): Promise<string> =>
  promises.stat(file).then(
    ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
    () => 'missing',
  );

export const unread = (file: string, message: string): Problem => ({
  ...{ severity: 'error', code: 'config_unreadable', file, message },
  ...{ line: 1, column: 1, path: '', excerpt: '' },
});

// The configs of all clients as one, in which each form is `client/form`.

/** A client, the problems of its files, and its config as the relay serves it. */
export interface ClientStatus {
  readonly client: Client;
  readonly config: Config | undefined;
  readonly state: ConfigState;
  readonly problems: readonly Problem[];
}

export interface MergedConfig extends Config {
  readonly clients: NonNullable<Config['clients']> & {
    readonly all: readonly ClientStatus[];
    readonly operator: Config;
  };
}

/** Matches `/api/v1/submit/acme/contact`, and anything after the form. */
export const paths = /^\/(f|api\/v1\/[a-z-]+)(?:\/([^/]*(?:\/|%2F)[^/]*)(\/[\w.-]+)?)?$/i;

export function merge(operator: Config, all: readonly ClientStatus[]): MergedConfig {
  const configs = all.flatMap(({ config }) => config ?? []);
  const forms = new Map(configs.flatMap((one) => [...one.forms]));
  const served = new Map<string, boolean>();
  for (const { client, config } of all)
    served.set(client.name, served.get(client.name) || config !== undefined);
  const plugins = new Set([operator, ...configs].flatMap(({ registry }) => registry.plugins));
  return {
    ...operator,
    forms,
    shared: sharedOf(operator, [...forms.keys()], all),
    further: [operator, ...configs].flatMap(({ further }) => further),
    registry: { ...registryFor([...plugins]), paths },
    warnings: async () => {
      const [own = [], ...others] = await Promise.all([operator, ...configs].map((one) => one.warnings()));
      return [...own.filter(({ path }) => !namesForm(path, operator, [...forms.keys()])), ...others.flat()];
    },
    env: [operator, ...configs].flatMap(({ env }) => env),
    clients: {
      all,
      operator,
      of: (formId) => (served.has(clientOf(formId)) ? clientOf(formId) : ''),
      missing: (formId) =>
        served.get(clientOf(formId)) === false ? unavailable(clientOf(formId)) : undefined,
    },
  };
}

/** Problems of clients that fail to load while others load. */
export const brokenIn = (config: Config): readonly Problem[] =>
  (config as Partial<MergedConfig>).clients?.all.flatMap(({ problems }) => problems) ?? [];

const unavailable = (client: string): Outcome => ({
  kind: 'client_unavailable',
  status: 503,
  message: { code: 'no_config' },
  headers: { 'retry-after': '60' },
  why: `the config of the client ${client} does not load`,
  level: 'error',
  isFrequent: true,
});

const matches = (pattern: string) => (form: string) =>
  pattern.endsWith('/*') ? form.startsWith(pattern.slice(0, -1)) : form === pattern;

/** Whether this path in the operator's file, which was checked without the clients, names a form of a client. */
function namesForm(path: string, { shared }: Config, forms: readonly string[]): boolean {
  const [, person, place] = /^inbox\.people\[(\d+)\]\.forms\[(\d+)\]$/.exec(path) ?? [];
  const pattern = shared.get('inbox')?.people?.[Number(person)]?.forms?.[Number(place)];
  return pattern !== undefined && forms.some(matches(pattern));
}

/** The operator's keys with `acme/*` expanded to the client's forms, and the clients that fail to load. */
function sharedOf(
  { shared }: Config,
  forms: readonly string[],
  all: readonly ClientStatus[],
): Registered<Shared> {
  const [inbox, clients] = [shared.get('inbox'), shared.get('clients')];
  const named = (pattern: string) => (pattern.endsWith('/*') ? forms.filter(matches(pattern)) : pattern);
  const people = inbox?.people?.map((one) => (one.forms ? { ...one, forms: one.forms.flatMap(named) } : one));
  const broken = all.flatMap(({ client, state, problems: [first] }) =>
    state === 'fresh' || !first ? [] : ([[client.name, formatProblem(first)]] as const),
  );
  const own = new Map<string, unknown>([
    ['inbox', inbox && { ...inbox, people }],
    ['clients', { ...clients, broken: new Map(broken) }],
  ]);
  return {
    get: (name) => (own.has(name) ? own.get(name) : shared.get(name)) as never,
    values: () => shared.values(),
  };
}
