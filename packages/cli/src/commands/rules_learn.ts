import { Command } from 'commander';
import type { LearnOptions } from '../learn_rules.ts';
import { archiveName, examples, fileName } from '../usage.ts';
import { form, identity, since, until, verdictsFile } from './shared_options.ts';

export const rulesLearn = new Command('learn')
  .summary('learn from what was marked as spam or not spam')
  .description(
    'learn from messages marked as spam or not spam; report how good that would have been on newer ones; write a model for the signal learned, unless it is of no use',
  )
  .option('--archive <archive>', 'the archive whose submissions were marked', archiveName)
  .addOption(verdictsFile())
  .addOption(identity())
  .addOption(form())
  .addOption(since())
  .addOption(until())
  .option('--messages <file>', 'messages with marks, in lines of JSON', fileName)
  .option('--model <file>', 'where the model is written', fileName, 'spam.model')
  .option('--anyway', 'write it even if it is of no use')
  .option('--json', 'print the report as JSON')
  .addHelpText(
    'after',
    examples(
      [
        'relay rules learn --archive archive --model spam.model',
        'from what was marked with relay rules mark, or in the inbox',
      ],
      ['relay rules learn --messages marked.jsonl', 'from messages that came elsewhere'],
    ),
  )
  .action(async (_: LearnOptions, command: Command) =>
    (await import('../learn_rules.ts')).learnRules(command.optsWithGlobals()),
  );
