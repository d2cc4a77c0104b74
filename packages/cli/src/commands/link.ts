import { age, Command, chosenValue, type Pairs, webAddress } from '../usage.ts';

export const link = new Command('link')
  .argument('<form>', 'the name of the form')
  .argument('[field=value...]', 'what the link fills in; a field may have several', chosenValue)
  .summary('make a link that fills in a form')
  .description(
    'make a link that opens a form with these values filled in, sealed with FORM_TOKEN_SECRET, for a form with `links`',
  )
  .option('--locked <field>', 'a field whose value the visitor cannot change; may be repeated', lockedField)
  .option('--expires <time>', 'how long the link works, such as 7d (default: 30d)', age)
  .option('--page <url>', "a page of yours that shows the form, in place of the relay's", webAddress)
  .addHelpText('after', `\nIt needs the FORM_TOKEN_SECRET of the relay, and its PUBLIC_URL or --page.`)
  .examples(
    ['relay link contact name=Ada --expires 7d', 'the visitor may change the name'],
    ['relay link contact name=Ada --locked name', 'the visitor may not change the name'],
  )
  .runs(async (options, form: string, values: Pairs = []) =>
    (await import('../print_link.ts')).printLink(form, values, options),
  );

/** Collects names of fields. */
function lockedField(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}
