import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plugin } from '@form-relay/core/plugin';
import { type MakePlugin, sharedKit } from '@form-relay/plugin-host/kit';
import { placeAt, typesIn } from '@form-relay/stores/index';
import { type OpenContext, openCounts, openLeases } from '@form-relay/stores/open_store';
import type { Store } from '@form-relay/stores/store';
import { storeChecks } from './store_checks.ts';
import { type CheckOptions, encodeAs, increase, type OtherProcess, type TriedPlace } from './store_tools.ts';
import type { Check } from './try_relay.ts';

export interface StoreContract extends CheckOptions {
  /** The plug-in's module, such as `new URL('./redis.mjs', import.meta.url)`. Other processes, which are killed, load it, too. */
  readonly module: string | URL;
  /** Returns the address of a new, empty place each time. */
  readonly address: () => string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether leases expire by the store's own clock, so that the checks have to wait. Default: by `context.now`. */
  readonly hasOwnClock?: boolean;
}

/** Checks for every store (docs/plugins/stores.md), with any test runner. */
export function storeContract(asked: StoreContract): readonly Check[] {
  const name = String(asked.module)
    .replace(/^.*\//, '')
    .replace(/\.\w+$/, '');
  return storeChecks(name, () => placeOf(asked), asked);
}

/** The details that a process needs to open a store. */
interface Opened {
  readonly module: string;
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  readonly aheadMs: number;
}

async function placeOf({
  module,
  address,
  env = {},
  hasOwnClock = false,
}: StoreContract): Promise<TriedPlace> {
  const about = { module: String(module), address: address(), env };
  let aheadMs = 0;
  const set = (byMs: number) => {
    aheadMs += byMs;
  };
  const now = () => Date.now() + aheadMs;
  const renewals = new Set<() => Promise<void>>();
  const every: OpenContext['every'] = (ms, renew) => {
    const timer = setInterval(() => void renew(), ms).unref();
    renewals.add(renew);
    return () => {
      clearInterval(timer);
      renewals.delete(renew);
    };
  };
  return {
    now,
    pass: async (ms) => void (hasOwnClock ? await sleep(ms) : set(ms)),
    ...(!hasOwnClock && { set, renews: () => Promise.all([...renewals].map((renew) => renew())) }),
    open: () => openStore({ ...about, aheadMs }, now, hasOwnClock ? {} : { every }),
    another: () => startProcess({ ...about, aheadMs }),
    keepAs: async (kept, format) => {
      const store = await openStore({ ...about, aheadMs }, now, { encode: encodeAs(format) });
      await store.leases?.keep([kept], { isMine: false, dueAt: now(), timeoutMs: 10_000 });
      await store.close();
    },
    remove: async () => undefined,
  };
}

async function openStore(
  { module, address, env }: Opened,
  now: () => number,
  more: Pick<OpenContext, 'encode' | 'every'> = {},
): Promise<Store> {
  const loaded: { readonly default?: MakePlugin | Plugin } = await import(module);
  const made = loaded.default;
  const plugin = typeof made === 'function' ? made(sharedKit(), {}) : made;
  if (!plugin) throw new Error(`${module} exports no plug-in by default`);
  const place = placeAt(address, typesIn([plugin]), 'deliveries');
  if ('problem' in place) throw new Error(place.problem);
  const aws = () => Promise.reject(new Error('there is no AWS in this test'));
  const context = {
    now,
    env: (name: string) => env[name],
    aws,
    binding: () => undefined,
    ...more,
  };
  return place.type.holds?.includes('deliveries') === false
    ? openCounts(place, context)
    : openLeases(place, context);
}

type Command = readonly ['lease', count: number] | readonly ['count', key: string, times: number];

/** Starts another Node.js process, which runs `serveCommands`. */
async function startProcess(about: Opened): Promise<OtherProcess> {
  const isSource = import.meta.url.endsWith('.ts');
  const own = new URL(isSource ? './index.ts' : '../testing.mjs', import.meta.url);
  const program = `import(${JSON.stringify(own)}).then(({ serveCommands }) => serveCommands(${JSON.stringify(about)}))`;
  const options = isSource ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...options, '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ask = async (...command: Command): Promise<unknown> => {
    child.send(command);
    const [answer] = await Promise.race([once(child, 'message'), ended(child)]);
    return answer;
  };
  return {
    lease: async (count) => (await ask('lease', count)) as readonly string[],
    count: async (key, times) => void (await ask('count', key, times)),
    kill: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function ended(child: ChildProcess): Promise<never> {
  await once(child, 'exit');
  throw new Error('the other process ended by itself');
}

/** Runs in the process that `startProcess` starts. */
export async function serveCommands(about: Opened): Promise<void> {
  const store = await openStore(about, () => Date.now() + about.aheadMs);
  process.on('message', async ([command, one, times]: Command) => {
    const leased: string[] = [];
    if (command === 'lease')
      while (leased.length < one)
        for (const { kept } of (await store.leases?.lease(one - leased.length, 500)) ?? [])
          leased.push(kept.id);
    else for (let time = 0; time < times; time += 1) if (store.counts) await increase(store.counts, one);
    process.send?.(leased);
  });
}
