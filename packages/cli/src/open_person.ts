import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { storeOpener } from '@form-relay/queue/index';
import { unsealWith } from '@form-relay/stored/archive/identities';
import { isBucket, openArchive } from '@form-relay/stored/archive/open';
import { removeFrom } from '@form-relay/stored/archive/remove_entry';
import { keysOf } from '@form-relay/stored/kept/open';
import { verdictFileOf } from '@form-relay/stored/marks/verdicts';
import { type ErasingArchive, recordFileOf } from '@form-relay/stored/person/erase';
import type { Missed, PersonStore, Stored } from '@form-relay/stored/person/find';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { readKeys } from './open_archive.ts';
import { withOwnRelay } from './own_setup.ts';
import { count } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';

export interface PersonOptions extends GlobalOptions {
  readonly email: string;
  /** Archives. Default: those of the config, and its kept deliveries. */
  readonly from?: readonly string[];
  readonly form?: string;
  readonly identity?: string;
  /** Whether entries that only mention the address are meant, too. */
  readonly mentions?: boolean;
  /** The file that notes what was erased, instead of those beside the archives. */
  readonly record?: string;
}

export interface OpenPerson extends Stored {
  readonly archives: readonly ErasingArchive[];
}

/** Runs a command on all places in which something of a person may be. */
export async function withPerson(
  options: PersonOptions,
  work: (open: OpenPerson, missed: MissedOnes) => Promise<void>,
): Promise<void> {
  const { config: option, from, identity, record } = options;
  const unseal = identity === undefined ? undefined : await unsealWith(await readKeys(identity));
  const missed = new MissedOnes();
  if (from) {
    await work({ archives: await archivesAt(from, record, missed), stores: [], unseal }, missed);
    return missed.end();
  }
  await withOwnRelay(option, async ({ forms, shared }, relay) => {
    const keep = shared.get('keep');
    const places = [...forms.values()].flatMap(({ outputs }) =>
      outputs.flatMap(({ isArchive, transport }) => (isArchive && transport?.target) || []),
    );
    if (places.length === 0 && !keep)
      throw new CommandFailed('the config stores no submission; --from names an archive');
    const store = keep && (await storeOpener(relay.services, relay.settings)(keep));
    const stores: PersonStore[] = [];
    if (keep && store) {
      for (const note of store.notes ?? []) missed.foreign(keep.in.name, note);
      stores.push({ name: keep.in.name, store, settings: keysOf(relay.services, relay.settings).settings });
    }
    try {
      await work({ archives: await archivesAt(places, record, missed), stores, unseal }, missed);
    } finally {
      await store?.close();
    }
  });
  missed.end();
}

/** Each archive, and what was turned away beside it. */
async function archivesAt(
  places: readonly string[],
  record: string | undefined,
  missed: Missed,
): Promise<readonly ErasingArchive[]> {
  const all: ErasingArchive[] = [];
  for (const place of new Set(places.map((one) => one.replace(/(.)\/+$/, '$1')))) {
    if (isBucket(place)) {
      for (const name of [place, `${place}/.dropped`])
        all.push({ name, archive: openArchive(name), remove: removeFrom(name, 'last'), record });
      continue;
    }
    const root = basename(place) === '.dropped' ? dirname(resolve(place)) : place;
    const beside = { verdicts: verdictFileOf(root), record: record ?? recordFileOf(root) };
    const open = (name: string): ErasingArchive => ({
      name,
      archive: openArchive(name),
      remove: removeFrom(name, 'last'),
      ...beside,
    });
    all.push(open(place));
    if (root !== place) continue;
    const dropped = join(place, '.dropped');
    const stats = await lstat(dropped).catch(() => undefined);
    if (stats?.isDirectory()) all.push(open(dropped));
    else if (stats) missed.trouble(dropped, 'is a link or a file; left alone');
  }
  return all;
}

/** The number of foreign files and folders that get a line each. */
const mostForeign = 20;

/** Says on stderr what was not looked into. */
export class MissedOnes implements Missed {
  #foreign = 0;
  #sealed = 0;
  #troubles = 0;

  trouble(place: string, what: string): void {
    this.#troubles += 1;
    process.stderr.write(`${printable(`${place}: ${what}`)}\n`);
  }

  foreign(place: string, what: string): void {
    this.#foreign += 1;
    if (this.#foreign <= mostForeign) process.stderr.write(`${printable(`${place}: ${what}`)}\n`);
  }

  sealed(): void {
    this.#sealed += 1;
  }

  /** The exit code is 1 if something of the person may be left. */
  end(): void {
    if (this.#foreign > mostForeign) process.stderr.write(`${count(this.#foreign, 'thing')} left alone\n`);
    if (this.#sealed > 0)
      process.stderr.write(
        `${count(this.#sealed, 'sealed submission')} not looked into; --identity names the file with the key that opens them\n`,
      );
    if (this.#sealed + this.#troubles > 0) process.exitCode = 1;
  }
}
