import { erase } from '@form-relay/stored/person/erase';
import { type FoundOne, findPerson } from '@form-relay/stored/person/find';
import { printable } from '@form-relay/yaml/excerpt';
import { isAgreed } from './agree.ts';
import { CommandFailed } from './command_failed.ts';
import { writeOut } from './open_archive.ts';
import { type PersonOptions, withPerson } from './open_person.ts';
import { count } from './terminal.ts';

export interface EraseOptions extends PersonOptions {
  /** Asks nobody. */
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Lists all that is stored of a person, then removes it, if its owner says so. */
export const erasePerson = (options: EraseOptions): Promise<void> =>
  withPerson(options, async (open, missed) => {
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
        throw new CommandFailed('nothing was removed; --yes removes them, for good');
      if (!(await isAgreed(`Remove ${summary(found)} for good?`, process.stderr)))
        throw new CommandFailed('nothing was removed');
    }
    const record = options.record ?? open.archives.find((one) => one.record !== undefined)?.record;
    const { documents, deliveries, left } = await erase(found, { ...open, record, now: Date.now });
    for (const one of left) missed.trouble('not removed', one);
    process.stdout.write(`removed ${partsOf(documents, deliveries)}\n`);
    if (record === undefined)
      process.stderr.write('nothing notes that this was done; --record names a file for that\n');
    if (left.length > 0)
      throw new CommandFailed(`${left.length} could not be removed; the same command removes the rest`);
  });

async function* list(found: readonly FoundOne[], mentioned: readonly FoundOne[]): AsyncGenerator<string> {
  for (const one of found) yield `${lineOf(one)}\n`;
  if (mentioned.length > 0) {
    yield `${count(mentioned.length, 'other only mentions', 'others only mention')} the address; --mentions takes them, too\n`;
    for (const one of mentioned) yield `  ${lineOf(one)}\n`;
  }
  yield found.length === 0 ? 'nothing is from this address\n' : `found ${summary(found)}\n`;
}

const lineOf = ({ receivedAt, id, form, place, kind }: FoundOne): string =>
  printable(
    `${new Date(receivedAt).toISOString()}  ${id}  ${form}  ${place}${kind === 'kept' ? ' (kept delivery)' : ''}`,
  );

function summary(found: readonly FoundOne[]): string {
  const documents = found.filter(({ kind }) => kind === 'archived').length;
  return partsOf(documents, found.length - documents);
}

const partsOf = (documents: number, deliveries: number): string =>
  `${count(documents, 'stored submission')} and ${count(deliveries, 'kept delivery', 'kept deliveries')}`;
