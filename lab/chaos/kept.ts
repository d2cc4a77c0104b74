/** A run's store as opened by its owner's tools, and the wait until it is empty. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '../../packages/base/src/client_error.ts';
import { awsAccount } from '../../packages/clients/src/aws/account.ts';
import { createHttpClient } from '../../packages/clients/src/http/http_client.ts';
import { openLeases } from '../../packages/stores/src/open_store.ts';
import type { StorePlace } from '../../packages/stores/src/store.ts';
import { flat, type OpenedStore } from '../../test/support/stores/place.ts';
import type { Clock } from './relays.ts';

/** Variables of relays that queue deliveries. */
export const keepSecret = { KEEP_SECRET: 'a secret that is for this run and no other' } as const;

/** Opens the store in a process next to the relays. */
export async function openKept(
  where: StorePlace,
  env: Readonly<Record<string, string>>,
  { now }: Clock,
  forMs = 14 * 86_400_000,
): Promise<OpenedStore> {
  const readEnv = (name: string) => env[name] ?? process.env[name];
  const aws = { account: awsAccount(readEnv), http: createHttpClient().bytes, now };
  return flat(await openLeases(where, { env: readEnv, aws: async () => aws, now, forMs }));
}

/** A queue keeps messages for 14 days, and hundreds of thousands of deliveries take some minutes. */
const pushMs = 600_000;

/** Acts as the owner: retries all dead letters, and waits until the queue is empty. Returns what remains. */
export async function drain(
  store: OpenedStore,
  { now }: Clock,
  push: (ms: number) => void,
  withinMs: number,
): Promise<readonly string[]> {
  const until = performance.now() + withinMs;
  for (;;) {
    const left = await retryAll(store, now).catch((error) => {
      // An owner repeats a command that failed.
      if (error instanceof ClientError) return [`the store says: ${error.message}`];
      throw error;
    });
    if (left.length === 0 || performance.now() > until) return left;
    push(pushMs);
    await sleep(1_000);
  }
}

/** Retries all dead letters, and reports what is queued. */
async function retryAll(store: OpenedStore, now: () => number): Promise<readonly string[]> {
  const before = await waitingIn(store);
  // Looking at messages hides them from relays.
  if (before.due > mostLookedAt) return [`${before.due} wait`];
  for await (const one of store.leaseMatching(({ deadLetter }) => deadLetter !== undefined))
    await one.reschedule(now(), one.kept);
  const left = await waiting(store);
  // The count includes messages that a queue hides.
  const { due, deadLetters } = await waitingIn(store);
  return left.length === 0 && due + deadLetters > 0 ? [`${due + deadLetters} wait and cannot be seen`] : left;
}

/** Lists the first twenty queued entries, except those of the form `except`. */
export async function waiting(store: OpenedStore, except?: string): Promise<readonly string[]> {
  const left: string[] = [];
  for await (const { kept, deadLetter } of store.list())
    if (kept.form !== except && left.length < 20)
      left.push(`${kept.id} of ${kept.form} waits (${deadLetter ?? 'due'}): ${kept.why?.words}`);
  return left;
}

const mostLookedAt = 1_000;

async function waitingIn(
  store: OpenedStore,
): Promise<{ readonly due: number; readonly deadLetters: number }> {
  const forms = [...(await store.count()).forms.values()];
  const sum = (of: 'due' | 'deadLetters') => forms.reduce((before, form) => before + form[of], 0);
  return { due: sum('due'), deadLetters: sum('deadLetters') };
}
