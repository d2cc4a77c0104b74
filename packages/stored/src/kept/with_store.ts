/** Opens the store for commands about queued deliveries. */
import { ClientError } from '@form-relay/base/client_error';
import { count } from '@form-relay/base/terminal';
import { type CommandContext, CommandFailed, type OwnRelay } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import {
  type DeliveryStore,
  keepIn,
  type Leases,
  type QueueConfig,
  storeOpener,
  totalOf,
} from '@form-relay/queue/index';
import { printable } from '@form-relay/yaml/problem';
import type { Choice, chooser } from './list.ts';
import { keysOf as keysIn } from './open.ts';

export interface StoreOptions {
  /** A store to use instead of that of the config. */
  readonly in?: string;
}

export interface ChoiceOptions {
  readonly form?: string;
  /** In milliseconds. */
  readonly olderThan?: number;
  readonly due?: boolean;
  readonly aside?: boolean;
}

export interface OpenStore {
  /** The store's name for people. */
  readonly name: string;
  readonly store: DeliveryStore;
  readonly leases: Leases;
  /** `undefined` if the store was given and there is no config. */
  readonly config: Config | undefined;
  /** The relay's services; nothing is delivered automatically. */
  readonly relay: OwnRelay;
}

/** The total of all deliveries, because a queue lists only some. */
async function inAll(leases: Leases): Promise<string> {
  const { due, deadLetters } = totalOf(await leases.count());
  return due + deadLetters === 0
    ? 'no deliveries are queued'
    : `${due + deadLetters} queued in total, as counted by the queue`;
}

/** Runs a command with the store of queued deliveries. */
export async function withStore(
  { in: place }: StoreOptions,
  context: CommandContext,
  work: (open: OpenStore) => Promise<void>,
): Promise<void> {
  const relay = await context.relay();
  const read = await context.tryConfig();
  // If the store is given, the config is optional, unless it is given, too.
  if (!read.ok && (place === undefined || context.configOption !== undefined))
    throw new CommandFailed(read.error);
  const config = read.ok ? read.value : undefined;
  const own = config?.shared.get('keep');
  const keep = place === undefined ? own : keepAt(place, own);
  if (!keep)
    throw new CommandFailed(
      'the config has no keep at the top, so no deliveries are queued; to use another store, add --in',
    );
  const store = await storeOpener(relay.services, relay.settings)(keep);
  const { leases } = store;
  try {
    await work({ name: keep.in.name, store, leases, config, relay });
    if (leases.notes) process.stderr.write(`${await inAll(leases)}\n${leases.notes.join('\n')}\n`);
  } catch (error) {
    if (error instanceof ClientError) throw new CommandFailed(`${keep.in.name}: ${error.message}`);
    throw error;
  } finally {
    await store.close();
  }
}

/** @param own The config's `keep`, whose other settings apply to this store, too. */
function keepAt(place: string, own: QueueConfig | undefined): QueueConfig {
  const keep = keepIn(place);
  if (!keep.ok) throw new CommandFailed(`--in ${place}: ${keep.error}`);
  return own ? { ...own, in: keep.value.in } : keep.value;
}

export function choiceOf(
  { form, olderThan, due, aside }: ChoiceOptions,
  ids: readonly string[] = [],
): Choice {
  return {
    ids: ids.length > 0 ? ids : undefined,
    form,
    before: olderThan === undefined ? undefined : Date.now() - olderThan,
    state: due ? 'due' : aside ? 'dead_letter' : undefined,
  };
}

type Choosing = Pick<ReturnType<typeof chooser>, 'whyNone'>;

/** Why nothing was selected; `undefined` if something was, or a queue may hide deliveries. */
export const whyNone = (choosing: Choosing, { leases, config }: OpenStore, hint = ''): string | undefined =>
  leases.notes ? undefined : choosing.whyNone(config, hint);

/** Says on stderr why nothing was selected. */
export function tellNone(choosing: Choosing, open: OpenStore, hint = ''): void {
  const why = whyNone(choosing, open, hint);
  if (why !== undefined) process.stderr.write(`${why}\n`);
}

/** The keys that open queued deliveries, from the environment. */
export const keysOf = ({ relay }: OpenStore) => keysIn(relay.services, relay.settings);

/** Reports problems with single deliveries and finally their number; the command then fails. */
export class Troubles {
  #number = 0;

  readonly tell = (id: string, what: string): void => {
    this.#number += 1;
    process.stderr.write(`${printable(`${id}: ${what}`)}\n`);
  };

  /** @param what What the deliveries have in common, such as `that could not be read`. @param unmet Ids that matched nothing. */
  end(what: string, unmet: Iterable<string> = []): void {
    for (const id of unmet)
      this.tell(
        id,
        'no queued delivery has this id, or it is being delivered now; relay kept list shows all ids',
      );
    if (this.#number === 0) return;
    if (this.#number > 1) process.stderr.write(`${deliveries(this.#number)} ${what}\n`);
    process.exitCode = 1;
  }
}

export const deliveries = (number: number): string => count(number, 'delivery', 'deliveries');
