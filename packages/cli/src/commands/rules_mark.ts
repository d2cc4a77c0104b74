import { verdicts } from '@form-relay/stored/marks/verdicts';
import { Argument, Command } from 'commander';
import type { MarkOptions } from '../mark_submission.ts';
import { examples } from '../usage.ts';
import { archive, form, verdictsFile } from './shared_options.ts';

export const rulesMark = new Command('mark')
  .argument('<id>', "the submission's id, as relay archive list has it")
  .addArgument(new Argument('<verdict>', 'what it is').choices(verdicts))
  .summary('say whether a submission is spam')
  .description(
    'say whether a submission of an archive is spam, or is not (ham): kept in a file beside the archive, for relay rules learn and the inbox',
  )
  .addOption(archive())
  .addOption(form())
  .addOption(verdictsFile())
  .addHelpText(
    'after',
    examples([
      'relay rules mark 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 ham --archive archive',
      'this one is from a person; marked again, the later verdict counts',
    ]),
  )
  .action(async (id: string, verdict: (typeof verdicts)[number], options: MarkOptions) =>
    (await import('../mark_submission.ts')).markSubmission(id, verdict, options),
  );
