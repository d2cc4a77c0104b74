import { InvalidArgumentError } from 'commander';
import type { ExplainOptions } from '../explain_submission.ts';
import { Command, fileName, type Pairs, pairs } from '../usage.ts';

export const explain = new Command('explain')
  .argument('<form>', 'the name of the form')
  .argument('[key=value...]', 'what a visitor fills in', pairs('key=value, such as email=ada@example.org'))
  .summary('tell what a submission would lead to; send nothing')
  .description(
    'tell what a submission would lead to, with the bytes that each output would send; sends nothing',
  )
  .option(
    '--body <file>',
    'a file with the body instead, urlencoded as a browser sends it, or JSON; - for stdin',
    fileName,
  )
  .option(
    '--file <field=path>',
    'a file that the visitor chooses; may be repeated',
    pairs('field=path, such as cv=cv.pdf'),
  )
  .option('--page <url>', 'the page that it comes from, for a form with page: true', pageUrl)
  .option('--key <variable>', 'as a server with the key in this variable of keys_env', variableOf)
  .option('--json', 'print the story as JSON')
  .addHelpText(
    'after',
    `\nWith key=value, what a browser adds comes along: the tokens of min_fill and\ncaptcha, and the solution of a proof of work.\nExit code: 0 if it would be delivered, 1 if not.`,
  )
  .examples([
    'relay explain contact name=Ada email=ada@example.org message=Hello',
    'what each output would send',
  ])
  .runs(async (options: ExplainOptions, form: string, values: Pairs = []) => {
    const given = values.length > 0 ? 'key=value' : options.file ? "'--file'" : options.page && "'--page'";
    if (given && options.body !== undefined)
      throw new InvalidArgumentError(`give either ${given} or '--body', not both`);
    return (await import('../explain_submission.ts')).explainSubmission(form, values, options);
  });

/** A variable that `keys_env` may name. */
function variableOf(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new InvalidArgumentError('Expected the name of a variable.');
  return name;
}

function pageUrl(text: string): string {
  if (!/^https?:\/\/./.test(text)) throw new InvalidArgumentError('Expected https://…');
  return text;
}
