import { Command, Option } from 'commander';
import type { CheckReceivedOptions } from '../check_received.ts';
import { duration, examples, fileName, moment } from '../usage.ts';

interface Options extends Omit<CheckReceivedOptions, 'toleranceMs'> {
  readonly tolerance: number;
}

export const webhookVerify = new Command('verify')
  .argument('[file]', 'the request: headers, an empty line, the body; - for stdin', fileName, '-')
  .summary('say whether a received request is genuine')
  .description('say whether a received request is signed with the secret, and what is wrong if it is not')
  .option('--secret-env <name>', 'the variable that holds the secret', 'WEBHOOK_SECRET')
  .addOption(
    new Option('--tolerance <duration>', 'how far its timestamp may be from now')
      .argParser(duration)
      .default(300_000, '5m'),
  )
  .option('--at <time>', 'when it was received, instead of now', moment)
  .addOption(new Option('--any-age', 'take it however old it is').conflicts('at'))
  .addHelpText(
    'after',
    `\nExit code: 0 if it is genuine, 1 if not.\n${examples(
      ['relay webhook verify --any-age request.txt', 'a request that a server wrote down'],
      ['relay webhook verify < request.txt', 'from stdin, received just now'],
    )}`,
  )
  .action(async (file: string, { tolerance, ...options }: Options) =>
    (await import('../check_received.ts')).checkReceived(file, { ...options, toleranceMs: tolerance }),
  );
