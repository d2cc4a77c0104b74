import { Command } from 'commander';
import { examples } from '../usage.ts';

export const webhookSecret = new Command('secret')
  .summary('print a new secret to sign with')
  .description('print a new secret for sign, of 32 random bytes; it is kept nowhere')
  .addHelpText(
    'after',
    examples(['export HOOK_SECRET="$(relay webhook secret)"', 'for the relay; the receiver needs the same']),
  )
  .action(async () => (await import('../print_secret.ts')).printSecret());
