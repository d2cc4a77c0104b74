import type { Config } from '@form-relay/core/config';
import type { Relay } from '@form-relay/core/relay';
import type { Settings } from '@form-relay/core/settings';
import type {} from '@form-relay/inbox/plugin';
import { createTeam, type Team } from '@form-relay/inbox/team';
import { CommandFailed } from './command_failed.ts';

/** The parts of an inbox that depend on who signs in: for `createInbox`, beside its index and actions. */
export interface InboxTeam extends Pick<Team, 'person' | 'audit' | 'isOwnHost'> {
  readonly listen: { readonly host: string; readonly port: number };
  /** The address that people open. */
  readonly url: URL;
}

export interface TeamOptions {
  /** The latest config that loads. */
  readonly config: () => Config | undefined;
  readonly settings: Pick<Settings, 'host' | 'port' | 'trustedProxies' | 'proxyHeader'>;
  readonly services: Pick<Relay['services'], 'now' | 'env' | 'log'>;
  /** `--listen`, before the config's. */
  readonly listen?: string | undefined;
  /** Whether this process answers visitors on HOST and PORT. */
  readonly servesVisitors: boolean;
}

/** Loads what signs people in. Throws a `CommandFailed` if the config has no inbox, or one that cannot be served. */
export async function openInboxTeam({
  config,
  settings,
  services,
  listen: asked,
  servesVisitors,
}: TeamOptions): Promise<InboxTeam> {
  const latest = () => config()?.shared.get('inbox');
  const inbox = latest();
  if (!inbox)
    throw new CommandFailed('the config has no `inbox:`, which says who may sign in (docs/inbox-team.md)');
  const { readListen } = await import('@form-relay/inbox/listen');
  const listen = asked === undefined ? inbox.listen : readListen(asked);
  if (!listen)
    throw new CommandFailed(`--listen ${asked}: expected an address and a port, such as 127.0.0.1:8090`);
  if (servesVisitors && listen.port !== 0 && listen.port === settings.port)
    throw new CommandFailed(
      `inbox.listen has port ${listen.port}, on which visitors are served; the inbox needs a port of its own`,
    );
  const { client_secret_env: variable } = inbox.sign_in;
  if (!services.env(variable))
    throw new CommandFailed(`${variable} is not set: inbox.sign_in.client_secret_env names it`);
  const { now, env, log } = services;
  const team = createTeam(latest, { now, env, log, proxies: settings });
  return { ...team, listen, url: inbox.url };
}
