/** What the commands about rules have in common. A command has options of its own: commander keeps their values. */
import { Option } from 'commander';
import { archiveName, fileName } from '../usage.ts';

export const archive = () =>
  new Option('--archive <archive>', 'the archive: a folder, or s3://BUCKET/PREFIX')
    .argParser(archiveName)
    .makeOptionMandatory();

export const verdictsFile = () =>
  new Option(
    '--verdicts <file>',
    'the file with what was marked (default: beside the folder, ARCHIVE.verdicts.jsonl)',
  ).argParser(fileName);
