import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { count, writeOut } from '@form-relay/base/terminal';
import { type CommandContext, CommandFailed } from '@form-relay/core/command';
import { storeOpener } from '@form-relay/queue/index';
import { printable } from '@form-relay/yaml/problem';
import { isBucket, openArchive } from '../archive/open.ts';
import { removeFrom } from '../archive/prune.ts';
import { unsealWith } from '../archive/read_entry.ts';
import { archivesIn } from '../archive/retention.ts';
import { keysOf } from '../kept/open.ts';
import { verdictFileOf } from '../marks/verdicts.ts';
import { eraseInStores, forgetInIndexes } from '../search_index.ts';
import { readKeys } from '../terminal.ts';
import { type ErasingArchive, erase, recordFileOf } from './erase.ts';
import {
  type FoundContent,
  type FoundOne,
  findPerson,
  type Missed,
  type PersonStore,
  personLine,
  type Stored,
} from './find.ts';

interface PersonOptions {
  readonly email: string;
  /** The archives. Default: the archives and the queued deliveries of the config. */
  readonly from?: readonly string[];
  readonly form?: string;
  readonly identity?: string;
  /** Whether to include entries that only mention the address. */
  readonly mentions?: boolean;
  /** The file that records the erasure, instead of one beside each archive. */
  readonly record?: string;
}

interface OpenPerson extends Stored {
  readonly archives: readonly ErasingArchive[];
}

/** Runs a command on all places that may hold data of a person. */
async function withPerson(
  options: PersonOptions,
  context: CommandContext,
  work: (open: OpenPerson, missed: MissedOnes) => Promise<void>,
): Promise<void> {
  const { from, identity, record } = options;
  const unseal = identity === undefined ? undefined : await unsealWith(await readKeys(identity));
  const missed = new MissedOnes();
  if (from) {
    await work({ archives: await archivesAt(from, record, missed), stores: [], unseal }, missed);
    return missed.end();
  }
  const { forms, shared } = await context.config();
  const { services, settings } = await context.relay();
  const keep = shared.get('keep');
  const places = [...archivesIn([...forms.values()])];
  if (places.length === 0 && !keep)
    throw new CommandFailed('the config has no archive; give one with --from');
  const store = keep && (await storeOpener(services, settings)(keep));
  const stores: PersonStore[] = [];
  if (keep && store) {
    for (const note of store.leases.notes ?? []) missed.foreign(keep.in.name, note);
    stores.push({ name: keep.in.name, leases: store.leases, keys: keysOf(services, settings) });
  }
  try {
    await work({ archives: await archivesAt(places, record, missed), stores, unseal }, missed);
  } finally {
    await store?.close();
  }
  missed.end();
}

/** Each archive, with its rejected submissions. */
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
    const files = { verdicts: verdictFileOf(root), record: record ?? recordFileOf(root) };
    const open = (name: string): ErasingArchive => ({
      name,
      archive: openArchive(name),
      remove: removeFrom(name, 'last'),
      ...files,
    });
    all.push(open(place));
    if (root !== place) continue;
    const dropped = join(place, '.dropped');
    const stats = await lstat(dropped).catch(() => undefined);
    if (stats?.isDirectory()) all.push(open(dropped));
    else if (stats) missed.trouble(dropped, 'is a link or a file; ignored');
  }
  return all;
}

/** The maximum number of lines about foreign files and folders. */
const mostForeign = 20;

/** Reports on stderr what was not searched. */
class MissedOnes implements Missed {
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

  /** The exit code is 1 if some of the person's data may remain. */
  end(): void {
    if (this.#foreign > mostForeign)
      process.stderr.write(`${count(this.#foreign, 'file or folder', 'files and folders')} ignored\n`);
    if (this.#sealed > 0)
      process.stderr.write(
        `${count(this.#sealed, 'sealed submission')} not searched; add --identity and the file with the private key\n`,
      );
    if (this.#sealed + this.#troubles > 0) process.exitCode = 1;
  }
}

/** Prints all stored data of a person, with a line of JSON for each document and queued delivery. */
export const exportPerson = (options: PersonOptions, context: CommandContext): Promise<void> =>
  withPerson(options, context, async (open, missed) => {
    const { email, form, mentions = false } = options;
    const isForm = form === undefined ? undefined : (name: string) => name === form;
    await writeOut(linesOf(findPerson(open, { email, isForm }, missed), mentions, missed));
  });

async function* linesOf(
  all: AsyncIterable<FoundContent>,
  mentions: boolean,
  missed: MissedOnes,
): AsyncGenerator<string> {
  let left = 0;
  for await (const found of all) {
    const { one } = found;
    if (one.occurs === 'mentioned' && !mentions) {
      left += 1;
      continue;
    }
    const line = personLine(found);
    if (line.ok) yield `${line.value}\n`;
    else missed.trouble(`${one.place}: ${one.id}`, line.error);
  }
  if (left > 0)
    process.stderr.write(
      `${count(left, 'other only mentions', 'others only mention')} the address; include them with --mentions\n`,
    );
}

interface EraseOptions extends PersonOptions {
  /** Removes without asking for confirmation. */
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Lists all stored data of a person and, after confirmation, removes it. */
export const erasePerson = (options: EraseOptions, context: CommandContext): Promise<void> =>
  withPerson(options, context, async (open, missed) => {
    const { email, form, mentions = false, yes = false, dryRun = false } = options;
    const found: FoundOne[] = [];
    const mentioned: FoundOne[] = [];
    const isForm = form === undefined ? undefined : (name: string) => name === form;
    for await (const { one } of findPerson(open, { email, isForm }, missed))
      (mentions || one.occurs === 'whole' ? found : mentioned).push(one);
    await writeOut(list(found, mentioned));
    if (dryRun || found.length === 0) return;
    if (!yes) {
      if (!process.stdin.isTTY || !process.stderr.isTTY)
        throw new CommandFailed('nothing was removed; add --yes to remove these submissions permanently');
      if (!(await context.ask(`Remove ${summary(found)} permanently?`)))
        throw new CommandFailed('nothing was removed');
    }
    const record = options.record ?? open.archives.find((one) => one.record !== undefined)?.record;
    const { documents, deliveries, left } = await erase(found, { ...open, record, now: Date.now });
    for (const { name } of open.archives) forgetInIndexes(name, process.env);
    const isLeft = ({ id }: FoundOne) => left.some((words) => words.includes(id));
    const gone = [...new Set(found.filter((one) => !isLeft(one)).map(({ id }) => id))];
    const names = open.archives.map(({ name }) => name);
    for (const folder of eraseInStores(names, gone, process.env))
      process.stderr.write(
        `the inbox removes the notes and labels of these submissions from ${folder}, now or at its next start\n`,
      );
    for (const one of left) missed.trouble('not removed', one);
    process.stdout.write(`removed ${partsOf(documents, deliveries)}\n`);
    if (record === undefined)
      process.stderr.write('the erasure was not recorded; give a file with --record\n');
    if (left.length > 0)
      throw new CommandFailed(
        `${count(left.length, 'submission')} could not be removed; run the command again`,
      );
  });

async function* list(found: readonly FoundOne[], mentioned: readonly FoundOne[]): AsyncGenerator<string> {
  for (const one of found) yield `${lineOf(one)}\n`;
  if (mentioned.length > 0) {
    yield `${count(mentioned.length, 'other only mentions', 'others only mention')} the address; include them with --mentions\n`;
    for (const one of mentioned) yield `  ${lineOf(one)}\n`;
  }
  yield found.length === 0 ? 'no submission is from this address\n' : `found ${summary(found)}\n`;
}

const lineOf = ({ receivedAt, id, form, place, kind }: FoundOne): string =>
  printable(
    `${new Date(receivedAt).toISOString()}  ${id}  ${form}  ${place}${kind === 'kept' ? ' (queued delivery)' : ''}`,
  );

function summary(found: readonly FoundOne[]): string {
  const documents = found.filter(({ kind }) => kind === 'archived').length;
  return partsOf(documents, found.length - documents);
}

const partsOf = (documents: number, deliveries: number): string =>
  `${count(documents, 'stored submission')} and ${count(deliveries, 'queued delivery', 'queued deliveries')}`;
