import { type FoundContent, findPerson, personLine } from '@form-relay/stored/person/find';
import { writeOut } from './open_archive.ts';
import { type MissedOnes, type PersonOptions, withPerson } from './open_person.ts';
import { count } from './terminal.ts';

/** Writes all that is stored of a person to stdout, a line of JSON for each document and kept delivery. */
export const exportPerson = (options: PersonOptions): Promise<void> =>
  withPerson(options, async (open, missed) => {
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
      `${count(left, 'other only mentions', 'others only mention')} the address; --mentions takes them, too\n`,
    );
}
