import { Command } from 'commander';
import type { ShowOptions } from '../show_entry.ts';
import { examples, fileName } from '../usage.ts';
import { form, from, identity } from './shared_options.ts';

export const archiveShow = new Command('show')
  .argument('<id>', "the submission's id, as relay archive list, the log and the answer have it")
  .summary('print a submission, write its files out')
  .description('print a submission of an archive as JSON, and write its files out')
  .addOption(from())
  .addOption(identity())
  .addOption(form())
  .option('--files <folder>', 'write its files there, over none that is there already', fileName)
  .addHelpText(
    'after',
    examples([
      'relay archive show 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 --from archive',
      'its document, with where its files are',
    ]),
  )
  .action(async (id: string, options: ShowOptions) =>
    (await import('../show_entry.ts')).showEntry(id, options),
  );
