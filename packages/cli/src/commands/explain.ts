import { Command, InvalidArgumentError } from 'commander';
import type { ExplainOptions } from '../explain_submission.ts';
import { examples, fileName } from '../usage.ts';

export const explain = new Command('explain')
  .argument('<form>', 'the name of the form')
  .argument('[key=value...]', 'what a visitor fills in', fieldValue)
  .summary('tell what a submission would lead to; send nothing')
  .description(
    'tell what a submission would lead to, with the bytes that each output would send; sends nothing',
  )
  .option(
    '--body <file>',
    'a file with the body instead, urlencoded as a browser sends it, or JSON; - for stdin',
    fileName,
  )
  .option('--file <field=path>', 'a file that the visitor chooses; may be repeated', chosenFile)
  .option('--page <url>', 'the page that it comes from, for a form with page: true', pageUrl)
  .option('--key <variable>', 'as a server with the key in this variable of keys_env', variableOf)
  .option('--json', 'print the story as JSON')
  .addHelpText(
    'after',
    `\nWith key=value, what a browser adds comes along: the tokens of min_fill and\ncaptcha, and the solution of a proof of work.\nExit code: 0 if it would be delivered, 1 if not.\n${examples(
      ['relay explain contact name=Ada email=ada@example.org message=Hello', 'what each output would send'],
    )}`,
  )
  .action(async (form: string, pairs: readonly string[], options: ExplainOptions, command: Command) => {
    const given = pairs.length > 0 ? 'key=value' : options.file ? "'--file'" : options.page && "'--page'";
    if (given && options.body !== undefined) {
      command.error(`error: give either ${given} or '--body', not both`);
    }
    const { explainSubmission } = await import('../explain_submission.ts');
    return explainSubmission(form, pairs, command.optsWithGlobals());
  });

/** A variable that `keys_env` may name. */
function variableOf(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new InvalidArgumentError('Expected the name of a variable.');
  return name;
}

/** Collects `field=path`. */
function chosenFile(pair: string, pairs: readonly string[] = []): readonly string[] {
  if (!/^[^=]+=./s.test(pair)) throw new InvalidArgumentError('Expected field=path, such as cv=cv.pdf.');
  return [...pairs, pair];
}

function pageUrl(text: string): string {
  if (!/^https?:\/\/./.test(text)) throw new InvalidArgumentError('Expected https://…');
  return text;
}

/** Collects `key=value`. */
function fieldValue(pair: string, pairs: readonly string[] = []): readonly string[] {
  if (pair.indexOf('=') < 1)
    throw new InvalidArgumentError('Expected key=value, such as email=ada@example.org.');
  return [...pairs, pair];
}
