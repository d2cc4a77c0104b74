import { InvalidArgumentError } from 'commander';
import type { TestFormOptions } from '../test_form.ts';
import { Command, chosenValue, mailAddress, outputPlace } from '../usage.ts';

export const test = new Command('test')
  .argument('<form>', 'the name of the form')
  .summary('send a made-up submission through the real outputs')
  .description(
    'send one made-up submission through the real outputs of a form, after showing where it goes, and say what each server answered',
  )
  .option('--yes', 'send without asking')
  .option(
    '--to <address>',
    'the visitor is you: outputs that mail to the visitor mail to this address',
    mailAddress,
  )
  .option('--set <field=value>', 'a value in place of a made-up one; may be repeated', chosenValue)
  .option('--output <place>', 'only this output: its place, from 0; may be repeated', chosenOutput)
  .option('--json', 'print the answers as JSON')
  .addHelpText(
    'after',
    `\nTests are marked: [Test] in subjects and titles, the header X-Form-Relay-Test.\nArchives store none. Nothing is kept or retried.\nRun it where the relay runs, with the same environment and config.\nExit code: 0 if all was delivered, 1 if something failed or nothing was sent.`,
  )
  .examples(
    ['relay test contact', 'show where it goes, ask, and send'],
    ['relay test contact --yes --to me@example.com', 'without asking, with you as the visitor'],
    ['relay test contact --output 0 --set name=Grace', 'one output, with a value of your own'],
  )
  .runs(async (options: TestFormOptions, form: string) => {
    if (!options.yes && !process.stdin.isTTY)
      throw new InvalidArgumentError("there is no terminal to ask in; '--yes' sends without asking");
    return (await import('../test_form.ts')).testForm(form, options);
  });

/** Collects places of outputs. */
function chosenOutput(text: string, places: readonly number[] = []): readonly number[] {
  return [...places, outputPlace(text)];
}
