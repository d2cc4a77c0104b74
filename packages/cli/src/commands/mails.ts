import { Command } from '../usage.ts';

const mailsBlocked = new Command('blocked')
  .argument('[address]', 'whether this address is blocked')
  .summary('list addresses that get no mails')
  .description(
    'list addresses that get no mails, since one came back or was marked as spam: each as a keyed hash, since the relay stores no address. With an address, say whether that one is blocked',
  )
  .option('--json', 'print a JSON object a line')
  .examples(
    ['relay mails blocked', 'how many there are, since when, and why'],
    ['relay mails blocked ada@example.com', 'whether mails reach ada@example.com'],
  )
  .runs(async (options, address?: string) =>
    (await import('../blocked_mails.ts')).showBlocked(address, options),
  );

const mailsUnblock = new Command('unblock')
  .argument('<address>', 'the address')
  .summary('let an address get mails again')
  .description(
    'let an address get mails again. Remove it from your mail provider’s own suppression list as well, or its mails go on being dropped there',
  )
  .examples(['relay mails unblock ada@example.com', 'the mailbox is there again'])
  .runs(async (options, address: string) => (await import('../blocked_mails.ts')).unblock(address, options));

export const mails = new Command('mails')
  .description('look at addresses that get no mails, since one came back')
  .addCommands(mailsBlocked, mailsUnblock);
