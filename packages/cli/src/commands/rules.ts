import { verdicts } from '@form-relay/stored/marks/verdicts';
import { Argument } from 'commander';
import type { LearnOptions } from '../learn_rules.ts';
import type { MarkOptions } from '../mark_submission.ts';
import { archiveName, Command, fileName } from '../usage.ts';
import { archive, form, identity, since, until, verdictsFile } from './shared_options.ts';

const rulesMark = new Command('mark')
  .argument('<id>', "the submission's id, as relay archive list has it")
  .addArgument(new Argument('<verdict>', 'what it is').choices(verdicts))
  .summary('say whether a submission is spam')
  .description(
    'say whether a submission of an archive is spam, or is not (ham): kept in a file beside the archive, for relay rules learn and the inbox',
  )
  .addOptions(archive(), form(), verdictsFile())
  .examples([
    'relay rules mark 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 ham --archive archive',
    'this one is from a person; marked again, the later verdict counts',
  ])
  .runs(async (options: MarkOptions, id: string, verdict: (typeof verdicts)[number]) =>
    (await import('../mark_submission.ts')).markSubmission(id, verdict, options),
  );

const rulesLearn = new Command('learn')
  .summary('learn from what was marked as spam or not spam')
  .description(
    'learn from messages marked as spam or not spam; report how good that would have been on newer ones; write a model for the signal learned, unless it is of no use',
  )
  .option('--archive <archive>', 'the archive whose submissions were marked', archiveName)
  .addOptions(verdictsFile(), identity(), form(), since(), until())
  .option('--messages <file>', 'messages with marks, in lines of JSON', fileName)
  .option('--model <file>', 'where the model is written', fileName, 'spam.model')
  .option('--anyway', 'write it even if it is of no use')
  .option('--json', 'print the report as JSON')
  .examples(
    [
      'relay rules learn --archive archive --model spam.model',
      'from what was marked with relay rules mark, or in the inbox',
    ],
    ['relay rules learn --messages marked.jsonl', 'from messages that came elsewhere'],
  )
  .runs(async (options: LearnOptions) => (await import('../learn_rules.ts')).learnRules(options));

export const rules = new Command('rules')
  .description('mark submissions as spam or not, and learn from them')
  .addCommands(rulesMark, rulesLearn);
