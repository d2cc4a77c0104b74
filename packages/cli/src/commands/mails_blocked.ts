import { Command } from 'commander';
import { examples, type GlobalOptions } from '../usage.ts';

export const mailsBlocked = new Command('blocked')
  .argument('[address]', 'whether this address is blocked')
  .summary('list addresses that get no mails')
  .description(
    'list addresses that get no mails, since one came back or was marked as spam: each as a keyed hash, since the relay stores no address. With an address, say whether that one is blocked',
  )
  .option('--json', 'print a JSON object a line')
  .addHelpText(
    'after',
    examples(
      ['relay mails blocked', 'how many there are, since when, and why'],
      ['relay mails blocked ada@example.com', 'whether mails reach ada@example.com'],
    ),
  )
  .action(async (address: string | undefined, _options: object, command: Command) =>
    (await import('../blocked_mails.ts')).showBlocked(
      address,
      command.optsWithGlobals<GlobalOptions & { readonly json?: boolean }>(),
    ),
  );
