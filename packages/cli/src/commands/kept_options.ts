/** What the commands about kept deliveries have in common. A command has options of its own: commander keeps their values. */
import { Option } from 'commander';
import { age, fileName, formName, outputPlace, storeName } from '../usage.ts';

export const store = () =>
  new Option('--in <place>', "another place than the config's: a folder, sqs://…, nats://…").argParser(
    storeName,
  );

export const identity = () =>
  new Option('--identity <file>', 'the file with the private key, for what is sealed').argParser(fileName);

export const form = () => new Option('--form <name>', 'of this form alone').argParser(formName);

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

export const ids = 'of deliveries, or of submissions, as relay kept list and the log have them';
