/** The configs of all clients as one, in which each form is `client/form`. */
import { clientOf } from '@form-relay/base/url';
import { registryFor } from '@form-relay/config/parse';
import type { Config, ConfigState } from '@form-relay/core/config';
import type { Registered, Shared } from '@form-relay/core/plugin';
import type { Outcome } from '@form-relay/core/submission';
import { formatProblem, type Problem } from '@form-relay/yaml/problem';
import type { Client } from './folder.ts';

/** A client, what is wrong with its files, and its config as it is served. */
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

/** `/api/v1/submit/acme/contact`, and whatever follows the form. */
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
    warnings: async () => (await Promise.all([operator, ...configs].map((one) => one.warnings()))).flat(),
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

/** Problems of clients that do not load, although others do. */
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

/** The operator's keys, with the forms that `acme/*` stands for, and the clients that do not load. */
function sharedOf(
  { shared }: Config,
  forms: readonly string[],
  all: readonly ClientStatus[],
): Registered<Shared> {
  const [inbox, clients] = [shared.get('inbox'), shared.get('clients')];
  const named = (pattern: string) =>
    pattern.endsWith('/*') ? forms.filter((form) => form.startsWith(pattern.slice(0, -1))) : pattern;
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
