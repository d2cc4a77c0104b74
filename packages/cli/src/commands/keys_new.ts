import { Command } from 'commander';
import { examples } from '../usage.ts';

export const keysNew = new Command('new')
  .summary('print a new key for a server that sends')
  .description('print a new key for keys_env, of 256 random bits; it is kept nowhere')
  .addHelpText(
    'after',
    examples([
      'export KEY_BILLING="$(relay keys new)"',
      'for keys_env: [KEY_BILLING]; the server needs the same',
    ]),
  )
  .action(async () => (await import('../print_sender_key.ts')).printSenderKey());
