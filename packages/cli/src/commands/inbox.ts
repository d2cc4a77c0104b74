import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAddress } from '@form-relay/base/address';
import { isThisMachine } from '@form-relay/base/url';
import { type CommandContext, CommandFailed, command, configPath, option } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import type { Plugin } from '@form-relay/core/plugin';
import {
  askRunningInbox,
  auditFolder,
  inviteOwner,
  openAccess,
  ownerAudit,
  watchInvitations,
} from '@form-relay/inbox/access';
import { openAccounts } from '@form-relay/inbox/accounts';
import { owner } from '@form-relay/inbox/gate';
import { createOutbox } from '@form-relay/inbox/outbox';
import { connectionLimits, createInbox, type Inbox } from '@form-relay/inbox/server';
import { createTeam } from '@form-relay/inbox/team';
import { closeServer } from '@form-relay/runtimes/node/closing';
import { createNodeServer } from '@form-relay/runtimes/node/server';
import { createOwnerKey } from '@form-relay/runtimes/owner_key';
import type { Relay } from '@form-relay/runtimes/running_relay';
import { anyText, fileName, oneOf } from '@form-relay/schema/scalars';
import type {} from '@form-relay/stored/inbox_key';
import { identity } from '@form-relay/stored/options';
import { cannotListen, endProcess, listenNear, stopSignal } from '../listening.ts';
import { makeRelay } from '../own_setup.ts';
import { noOpen, openBrowser, portNumber } from '../shared_options.ts';
import { type InboxPlan, openInbox, openOwnStore } from './open_inbox.ts';

const inboxCommand = command({
  name: 'inbox',
  summary: 'read submissions in a page on this machine',
  description:
    'show submissions in a page on this machine, from the archives and the queued deliveries of the config',
  arguments: {
    invite: option(
      'invite',
      'invite a person to manage the inbox that the config describes',
      oneOf(['invite']),
    ),
    address: option('address', 'the address to send a sign-in link to', anyText),
  },
  options: {
    port: option('number', 'the port on 127.0.0.1 (default: $PORT, else 8080)', portNumber),
    listen: {
      ...option(
        'address',
        'serve the people who may sign in at this address, such as 127.0.0.1:8090',
        anyText,
      ),
      mayLackValue: true,
    },
    index: option('folder', 'folder of the search index (default: a cache folder)', fileName),
    store: option('folder', 'folder of labels, notes and replies (default: a data folder)', fileName),
    identity,
    noOpen,
  },
  examples: [
    ['relay inbox', 'open the address that it prints'],
    ['relay --config site/webform.yaml inbox --port 8090', 'another config on another port'],
    ['relay inbox --listen', 'beside the relay, for people who sign in'],
    ['relay inbox invite ada@example.org', 'mail a link to the first manager'],
  ],
  run: (options, context) => serveInbox(options, context),
});

export const plugin: Plugin = { name: 'inbox', commands: [inboxCommand] };

interface InboxCommandOptions {
  /** Default: PORT, else 8080. */
  readonly port: number | undefined;
  /** The folder of the index. */
  readonly index: string | undefined;
  /** The folder of the store. */
  readonly store: string | undefined;
  readonly identity?: string | undefined;
  readonly noOpen?: true | undefined;
  /** Serves the people whom the config's `inbox` names, on this address, or on the config's. */
  readonly listen: string | true | undefined;
  readonly invite: 'invite' | undefined;
  readonly address: string | undefined;
}

/** How long downloads in progress may take. */
const stopMs = 5_000;

/** Shows the inbox until SIGTERM or SIGINT: on 127.0.0.1 to the owner of the machine, or to people who sign in. */
async function serveInbox(
  { port, index, store, listen, identity, noOpen, invite, address }: InboxCommandOptions,
  { config: load, configOption }: CommandContext,
): Promise<void> {
  const config = await load();
  const isForTeam = listen !== undefined;
  const email = invite && parseAddress(address ?? '');
  if (invite && email === undefined)
    throw new CommandFailed(`${address ?? 'invite'}: expected one address, such as ada@example.org`);
  const relay = makeRelay({
    configFile: configOption,
    fallbackConfigFile: configPath(undefined, process.env),
    // The inbox does not retry deliveries by itself.
    freezes: true,
    services: {
      // The config may be for Cloudflare Workers, in which case only its archives are shown.
      binding: () => undefined,
      // A team's log says who could not sign in. In a terminal, the page itself shows errors.
      ...(!isForTeam && { log: () => {} }),
    },
  });
  await relay.config.get();
  const plan = { relay, config, folder: index, store, identity };
  if (email !== undefined) {
    process.stdout.write(`${await inviteFromTerminal(plan, email)}\n`);
    await relay.close();
    return endProcess();
  }
  const opened = isForTeam ? await openForTeam(plan, listen, false) : await openForOwner(plan, port);
  const stopped = stopSignal();
  process.stdout.write(`${opened.line}\n`);
  if (!noOpen && opened.page !== undefined) openBrowser(opened.page());
  await stopped;
  await opened.close();
  await relay.close();
  await endProcess();
}

export async function openForOwner(plan: InboxPlan, port: number | undefined): Promise<InboxServer> {
  const { options, close } = await openInbox(plan);
  const { store, outbox } = options;
  const { relay, config } = plan;
  const latest = () => (relay.config.current ?? config).shared.get('inbox');
  const access = store && openAccess(store, latest, relay.services.now);
  const audit = store && access && ownerAudit(store, access);
  let used = 0;
  const key = createOwnerKey('inbox', () => used);
  const person = (request: Parameters<typeof key.refusal>[0]) => key.refusal(request) ?? owner;
  const inbox = createInbox({ ...options, person, isOwnHost: isThisMachine, access, audit });
  const stop =
    store &&
    audit &&
    watchInvitations(store, (email) => inviteOwner({ access, outbox, audit }, email), options.broken);
  const server = serverOf(inbox, plan);
  used = await listenNear(server, port, plan.relay.settings.port).catch(async (error) => {
    await close();
    throw error;
  });
  return {
    line: `Open http://127.0.0.1:${used}/?key=${key.key}`,
    page: () => `http://127.0.0.1:${used}/?key=${key.once()}`,
    close: () => {
      stop?.();
      return closeAll(inbox, server, close);
    },
  };
}

/**
 * Serves people who sign in, on a separate address. Throws a `CommandFailed` if it cannot.
 *
 * @param listen Overrides the config's address.
 * @param servesVisitors Whether this process also answers visitors.
 */
async function openForTeam(
  plan: InboxPlan,
  listen: string | true,
  servesVisitors: boolean,
): Promise<InboxServer> {
  const { relay, config } = plan;
  const { services, settings } = relay;
  const latest = () => (relay.config.current ?? config).shared.get('inbox');
  const own = latest();
  if (!own)
    throw new CommandFailed(
      'the config has no `inbox:`, which lists the people who may sign in (docs/inbox-team.md)',
    );
  const { readListen } = await import('@form-relay/stored/inbox_key');
  const { host, port } = (listen === true ? own.listen : readListen(listen)) ?? {};
  if (host === undefined || port === undefined)
    throw new CommandFailed(`--listen ${listen}: expected an address and a port, such as 127.0.0.1:8090`);
  if (servesVisitors && port !== 0 && port === settings.port)
    throw new CommandFailed(
      `inbox.listen has port ${port}, which serves visitors; choose another port for the inbox`,
    );
  const variable = own.sign_in?.client_secret_env;
  if (variable !== undefined && !services.env(variable))
    throw new CommandFailed(`${variable}, which inbox.sign_in.client_secret_env names, is not set`);
  const { options, close } = await openInbox(plan);
  const { store, whyNoStore, outbox } = options;
  if (!store && (!own.sign_in || !own.audit)) {
    await close();
    throw new CommandFailed(`people need the inbox's store to sign in, and ${whyNoStore}`);
  }
  const { now, env, log } = services;
  const team = createTeam(latest, {
    ...{ now, env, log, proxies: settings, outbox },
    accounts: store && openAccounts(store, now),
    auditFolder: store && auditFolder(store),
  });
  const inbox = createInbox({ ...options, ...team });
  const { access, audit } = team;
  const stop =
    store &&
    access &&
    watchInvitations(store, (email) => inviteOwner({ access, outbox, audit }, email), options.broken);
  const server = serverOf(inbox, plan);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve());
  }).catch(async (error: NodeJS.ErrnoException) => {
    await close();
    throw cannotListen(error, host, port, 'inbox.listen or --listen');
  });
  const used = (server.address() as AddressInfo).port;
  return {
    line: `The inbox listens on http://${host}:${used}; people open ${own.url.href}`,
    close: () => {
      stop?.();
      return closeAll(inbox, server, close);
    },
  };
}

/** Lets a person manage the inbox, through the running inbox if there is one. Resolves with the text to print. */
async function inviteFromTerminal(
  { relay, config, store: folder }: InboxPlan,
  email: string,
): Promise<string> {
  const current = () => relay.config.current ?? config;
  const settings = () => current().shared.get('inbox');
  if (!settings())
    throw new CommandFailed(
      'the config has no `inbox:`; add `inbox: {url: https://inbox.example.org}` (docs/inbox-team.md)',
    );
  const opened = openOwnStore(relay, config, folder);
  if ('failed' in opened) {
    const { failed, place } = opened;
    const words = failed.isInUse && place !== undefined ? await askRunningInbox(place, email) : undefined;
    if (words === undefined) throw new CommandFailed(failed.message);
    return words;
  }
  const { store } = opened;
  const { services, settings: variables } = relay;
  const access = openAccess(store, settings, services.now);
  const outbox = createOutbox(store, { config: current, services, settings: variables });
  const words = await inviteOwner({ access, outbox, audit: ownerAudit(store, access) }, email);
  store.close();
  return words;
}

/** The inbox of a relay that serves: a line for its owner, and how to stop it. */
export interface InboxServer {
  readonly line: string;
  /** A single-use URL for the owner's browser. */
  page?(): string;
  close(): Promise<void>;
}

/** Never rejects: if the inbox cannot start, visitors' forms must still work. */
export async function openInboxServer(relay: Relay, config: Config): Promise<InboxServer> {
  try {
    const { line, close } = await openForTeam({ relay, config }, true, true);
    return { line: `${line}\n`, close };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { line: `The inbox is not served: ${error.message}\n`, close: async () => {} };
  }
}

const serverOf = ({ handle }: Inbox, { relay: { services, settings } }: InboxPlan): Server =>
  createNodeServer(handle, { log: services.log, limits: { ...settings, ...connectionLimits } });

async function closeAll(inbox: { close(): void }, server: Server, close: () => Promise<void>): Promise<void> {
  inbox.close();
  await closeServer(server, stopMs, 0);
  await close();
}
