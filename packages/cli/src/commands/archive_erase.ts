import { Command } from 'commander';
import type { EraseOptions } from '../erase_person.ts';
import { examples, fileName, writtenAddress } from '../usage.ts';
import { form, fromSome, identity, mentions } from './shared_options.ts';

export const archiveErase = new Command('erase')
  .summary('find and remove all from one person')
  .description(
    'list all that archives and kept deliveries hold from an address, what was turned away included; ask; and remove it',
  )
  .requiredOption('--email <address>', 'the address that the person wrote', writtenAddress)
  .addOption(fromSome())
  .addOption(form())
  .addOption(identity())
  .addOption(mentions())
  .option('--record <file>', 'notes that this was done (default: FOLDER.erased.jsonl)', fileName)
  .option('--dry-run', 'list them, and remove nothing')
  .option('--yes', 'ask nobody')
  .addHelpText(
    'after',
    examples(
      ['relay archive erase --email ada@example.org --from archive --dry-run', 'what would go'],
      ['relay archive erase --email ada@example.org --from archive --yes', 'without a question'],
    ),
  )
  .action(async (_, command: Command) =>
    (await import('../erase_person.ts')).erasePerson(command.optsWithGlobals<EraseOptions>()),
  );
