/** Options that several commands share. Each command makes its own, since commander stores values in them. */
import { InvalidArgumentError, Option } from 'commander';
import {
  age,
  archiveName,
  archiveNames,
  fileName,
  outputPlace,
  sinceMoment,
  storeName,
  untilMoment,
} from '../usage.ts';

const archiveOption = (flag: string) =>
  new Option(`${flag} <archive>`, 'the archive: a folder, or s3://BUCKET/PREFIX')
    .argParser(archiveName)
    .makeOptionMandatory();

/** The archive that an archive command reads. */
export const from = () => archiveOption('--from');

/** The archives that a command about a person looks through. */
export const fromSome = () =>
  new Option('--from <archive>', "an archive, again for each; without it, all of the config's").argParser(
    archiveNames,
  );

/** The same, or the one archive that a command reads. */
export const fromOne = () =>
  new Option(
    '--from <archive>',
    "the archive; with --email, again for each, or all of the config's without it",
  ).argParser(archiveNames);

export const mentions = () =>
  new Option('--mentions', 'also those that only mention the address in longer text');

/** The archive that a rules command reads. */
export const archive = () => archiveOption('--archive');

export const verdictsFile = () =>
  new Option(
    '--verdicts <file>',
    'the file with what was marked (default: beside the folder, ARCHIVE.verdicts.jsonl)',
  ).argParser(fileName);

export const identity = () =>
  new Option('--identity <file>', 'the file with the private key, for what is sealed').argParser(fileName);

export const form = () => new Option('--form <name>', 'of this form alone');

export const since = () =>
  new Option('--since <date>', 'from this day on, such as 2030-12-31 (UTC), or from this time on').argParser(
    sinceMoment,
  );

export const until = () =>
  new Option('--until <date>', 'up to the end of this day, or before this time').argParser(untilMoment);

export const format = () =>
  new Option('--format <format>', 'csv: a table; jsonl: all that is known, for programs')
    .choices(['csv', 'jsonl'])
    .default('csv');

/** The store of a command about kept deliveries. */
export const store = () =>
  new Option('--in <place>', "another place than the config's: a folder, sqs://…, nats://…").argParser(
    storeName,
  );

export const olderThan = () =>
  new Option('--older-than <age>', 'kept so long ago or longer, such as 12h or 2d').argParser(age);

export const due = () =>
  new Option('--due', 'those alone that the relay tries again by itself').conflicts('aside');

export const aside = () => new Option('--aside', 'those alone that wait for you');

export const output = () =>
  new Option(
    '--output <place>',
    "who gets those whose output is gone: its place in the form's outputs, from 0",
  ).argParser(outputPlace);

/** The help of an argument that names kept deliveries. */
export const ids = 'of deliveries, or of submissions, as relay kept list and the log have them';

export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}
