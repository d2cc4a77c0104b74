import { InvalidArgumentError } from 'commander';
import type { ListOptions } from '../list_kept.ts';
import type { StoreOptions } from '../open_kept.ts';
import type { DeliverOptions, RetryOptions } from '../retry_kept.ts';
import type { DropOptions, ExportOptions, ShowOptions } from '../show_kept.ts';
import { Command, fileName } from '../usage.ts';
import { aside, due, form, format, ids, olderThan, output, store } from './shared_options.ts';

const keptList = new Command('list')
  .summary('print a line for each delivery that is kept')
  .description(
    'print a line for each delivery that is kept: how old, what owes it, why, when it is tried again',
  )
  .addOptions(store(), form(), olderThan(), due(), aside())
  .option('--show', 'also how each begins, which a visitor wrote')
  .option('--json', 'print a JSON object a line')
  .examples(
    ['relay kept list', 'what is kept, and how many of which form'],
    ['relay kept list --aside --json', 'what waits for you, for programs'],
  )
  .runs(async (options: ListOptions) => (await import('../list_kept.ts')).listKept(options));

const keptShow = new Command('show')
  .argument('<ids...>', ids)
  .summary('print all of a delivery')
  .description('print all that is known of a delivery as JSON, write its files out')
  .addOption(store())
  .option('--show', 'also what the visitor wrote')
  .option('--files <folder>', 'write its files there, over none that is there already', fileName)
  .examples(['relay kept show 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 --show', 'with what the visitor wrote'])
  .runs(async (options: ShowOptions, names: readonly string[]) =>
    (await import('../show_kept.ts')).showKept(names, options),
  );

const keptRetry = new Command('retry')
  .argument('[ids...]', `${ids}; without them, all that wait for you`)
  .summary('retry now')
  .description('retry now, after you have fixed the cause')
  .addOptions(store(), form(), olderThan(), due(), aside(), output())
  .option('--all', 'also those that it would try again later')
  .option('--json', 'print how many as JSON')
  .examples(
    ['relay kept retry', 'all that wait for you'],
    ['relay kept retry --form contact --output 0', 'for outputs[0], in the place of one that is gone'],
  )
  .runs(async (options: RetryOptions, names: readonly string[]) =>
    (await import('../retry_kept.ts')).retryKept(names, options),
  );

const keptDeliver = new Command('deliver')
  .argument('[ids...]', `${ids}; without them, all`)
  .summary('deliver what is kept from here')
  .description('deliver what is kept from here and now, as the relay would, and say what became of each')
  .addOptions(store(), form(), olderThan(), due(), aside(), output())
  .option('--json', 'print a JSON object a line')
  .addHelpText(
    'after',
    `\nIt needs the config and the environment that the outputs need.\nExit code: 0 if all of it was delivered, 1 if not.`,
  )
  .examples(['relay kept deliver --aside', 'what waits for you'])
  .runs(async (options: DeliverOptions, names: readonly string[]) =>
    (await import('../retry_kept.ts')).deliverHere(names, options),
  );

const keptDrop = new Command('drop')
  .argument('[ids...]', `${ids}; without them, all of the choice`)
  .summary('forget what is kept')
  .description('forget what is kept, for good')
  .addOptions(store(), form(), olderThan(), due(), aside())
  .option('--all', 'whatever is kept')
  .option('--yes', 'do it, where no ids are given; else it only says what would go')
  .examples(
    ['relay kept drop 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11', 'all that outputs owe of a submission'],
    ['relay kept drop --aside --older-than 90d --yes', 'what has waited long enough'],
  )
  .runs(async (options: DropOptions & { all?: boolean }, names: readonly string[]) => {
    if (names.length === 0 && !['form', 'olderThan', 'due', 'aside', 'all'].some((key) => key in options))
      throw new InvalidArgumentError(
        "name ids, or choose with '--form', '--older-than', '--due', '--aside' or '--all'",
      );
    return (await import('../show_kept.ts')).dropKept(names, options);
  });

const keptExport = new Command('export')
  .summary('print what visitors sent as CSV or JSON Lines')
  .description(
    'print what visitors sent and outputs owe as a table for spreadsheets, or a JSON object a line',
  )
  .addOptions(store(), format(), form(), olderThan(), due(), aside())
  .examples(['relay kept export --form contact > contact.csv', 'to open in a spreadsheet'])
  .runs(async (options: ExportOptions) => (await import('../show_kept.ts')).exportKept(options));

const keptSetup = new Command('setup')
  .summary('make what the store needs')
  .description('make what the store needs, such as the stream of nats://…, and say what was done')
  .addOptions(store())
  .examples(['relay kept setup', 'before the first relay starts, and after changes'])
  .runs(async (options: StoreOptions) => (await import('../show_kept.ts')).setUpKeep(options));

export const kept = new Command('kept')
  .alias('keep')
  .description('list and retry failed deliveries')
  .addCommands(keptList, keptShow, keptRetry, keptDeliver, keptDrop, keptExport, keptSetup);
