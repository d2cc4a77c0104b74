import { Command } from 'commander';
import { examples, type GlobalOptions } from '../usage.ts';

export const mailsUnblock = new Command('unblock')
  .argument('<address>', 'the address')
  .summary('let an address get mails again')
  .description(
    'let an address get mails again. Remove it from your mail provider’s own suppression list as well, or its mails go on being dropped there',
  )
  .addHelpText('after', examples(['relay mails unblock ada@example.com', 'the mailbox is there again']))
  .action(async (address: string, _options: object, command: Command) =>
    (await import('../blocked_mails.ts')).unblock(address, command.optsWithGlobals<GlobalOptions>()),
  );
