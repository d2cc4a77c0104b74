/** What the commands about archives have in common. A command has options of its own: commander keeps their values. */
import { Option } from 'commander';
import { archiveName, fileName, formName, sinceMoment, untilMoment } from '../usage.ts';

export const from = () =>
  new Option('--from <archive>', 'the archive: a folder, or s3://BUCKET/PREFIX')
    .argParser(archiveName)
    .makeOptionMandatory();

export const identity = () =>
  new Option('--identity <file>', 'the file with the private key, for what is sealed').argParser(fileName);

export const form = () => new Option('--form <name>', 'of this form alone').argParser(formName);

export const since = () =>
  new Option('--since <date>', 'from this day on, such as 2030-12-31 (UTC), or from this time on').argParser(
    sinceMoment,
  );

export const until = () =>
  new Option('--until <date>', 'up to the end of this day, or before this time').argParser(untilMoment);
