import type {} from '@form-relay/capacity/counters/index';
import { openCounterStore } from '@form-relay/capacity/counters/place';
import type { Config } from '@form-relay/core/config';
import { ClientError, isAddress } from '@form-relay/core/kit';
import type { Relay } from '@form-relay/core/relay';
import { BlockList, type Entry, hashOf } from '@form-relay/visitor-mails/bounces/block_list';
import type {} from '@form-relay/visitor-mails/bounces/index';
import { shownHash } from '@form-relay/visitor-mails/bounces/take_events';
import { CommandFailed } from './command_failed.ts';
import { writeOut } from './open_archive.ts';
import { withOwnRelay } from './own_setup.ts';
import { count } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';

interface Opened {
  readonly list: BlockList;
  readonly hashOf: (address: string) => string;
  close(): Promise<void>;
}

/** Lists blocked addresses as hashes, or says of one whether it is blocked. Exit code 0 either way. */
export const showBlocked = (
  address: string | undefined,
  { config, json = false }: GlobalOptions & { readonly json?: boolean },
): Promise<void> =>
  withList(config, async (opened) => {
    if (address !== undefined) return showOne(address, json, opened);
    let many = 0;
    await writeOut(
      (async function* () {
        for await (const [hash, entry] of opened.list.all()) {
          many += 1;
          yield json
            ? `${JSON.stringify(factsOf(hash, entry))}\n`
            : `${shownHash(hash)}  ${inWords(entry)}\n`;
        }
        if (!json)
          yield many === 0 ? 'no address is blocked\n' : `${count(many, 'address', 'addresses')} blocked\n`;
      })(),
    );
  });

async function showOne(address: string, json: boolean, { list, hashOf }: Opened): Promise<void> {
  const hash = hashOf(readAddress(address));
  const entry = await list.find(hash);
  if (json) {
    const facts = entry ? factsOf(hash, entry) : { address: shownHash(hash), blocked: false };
    process.stdout.write(`${JSON.stringify(facts)}\n`);
  } else process.stdout.write(entry ? `blocked ${inWords(entry)}\n` : 'not blocked\n');
}

export const unblock = (address: string, { config }: GlobalOptions): Promise<void> =>
  withList(config, async ({ list, hashOf }) => {
    const wasBlocked = await list.unblock(hashOf(readAddress(address)));
    process.stdout.write(
      wasBlocked
        ? 'it gets mails again; remove it from your mail provider’s suppression list, too\n'
        : 'not blocked, or under another FORM_TOKEN_SECRET\n',
    );
  });

function readAddress(written: string): string {
  if (!isAddress(written)) throw new CommandFailed(`expected an address such as ada@example.com`);
  return written;
}

async function withList(config: string | undefined, work: (opened: Opened) => Promise<void>): Promise<void> {
  await withOwnRelay(config, async (config, relay) => {
    const opened = await open(config, relay);
    try {
      await work(opened);
    } catch (error) {
      if (error instanceof ClientError)
        throw new CommandFailed(`the list cannot be read or written: ${error.message}`);
      throw error;
    } finally {
      await opened.close();
    }
  });
}

async function open({ shared, forms }: Config, { services, settings }: Relay): Promise<Opened> {
  const [counters] = [...forms.values()].flatMap(({ provided }) => provided.get('counters') ?? []);
  if (!shared.get('bounces') || !counters)
    throw new CommandFailed('the config has no bounces (docs/mail/bounces.md)');
  const { formTokenSecret } = settings;
  if (formTokenSecret === '') throw new CommandFailed('set FORM_TOKEN_SECRET, as the relay has it');
  const store = await openCounterStore(counters.place, services);
  return {
    list: new BlockList(store, services.now),
    hashOf: (address) => hashOf(formTokenSecret, address),
    close: () => store.close(),
  };
}

const factsOf = (hash: string, { at, why, code }: Entry) => ({
  address: shownHash(hash),
  blocked: true,
  since: since(at),
  why,
  ...(code !== undefined && { code }),
});

const since = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

const inWords = ({ at, why, code }: Entry): string =>
  `since ${since(at)}: ${why === 'complaint' ? 'a mail was marked as spam' : `a mail came back${code ? ` (${code})` : ''}`}`;
