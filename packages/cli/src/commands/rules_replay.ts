import { Command } from 'commander';
import type { ReplayOptions } from '../replay_rules.ts';
import { examples, fileName } from '../usage.ts';
import { archive, form, identity, since, until, verdictsFile } from './shared_options.ts';

export const rulesReplay = new Command('replay')
  .summary('tell what the signals would have caught, and whom they would have hurt')
  .description(
    'have the signals of spam.doubt look at the submissions of an archive; tell, by form and signal, what they would have caught and whom they would have hurt; changes nothing',
  )
  .addOption(archive())
  .option('--rules <file>', 'a config to try instead of the one in use', fileName)
  .addOption(identity())
  .addOption(form())
  .addOption(since())
  .addOption(until())
  .addOption(verdictsFile())
  .option('--ask-services', 'ask services, too, which then learn what was submitted')
  .option('--json', 'print the report as JSON')
  .addHelpText(
    'after',
    examples(
      ['relay rules replay --archive archive', 'what the rules in use say of all that was kept'],
      [
        'relay rules replay --archive archive --rules site/webform.yaml --form contact',
        'what other rules say',
      ],
    ),
  )
  .action(async (_: ReplayOptions, command: Command) =>
    (await import('../replay_rules.ts')).replayRules(command.optsWithGlobals()),
  );
