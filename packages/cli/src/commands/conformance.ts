import { Command, Option } from 'commander';
import { examples, fileName, formName, relayAddress } from '../usage.ts';

export const conformance = new Command('conformance')
  .summary('measure a form relay by its promises')
  .description(
    'try what a form relay promises on one that runs, over HTTP: this one, that of an adapter, or one at an address',
  )
  .option('--url <address>', 'a relay that runs; its owner is sent nothing', relayAddress)
  .option('--form <name>', 'a form of that relay, which may be fetched', formName)
  .option('--send', 'send that form what must be refused; a broken relay may deliver it')
  .option('--adapter <file>', 'a JavaScript file that knows another product', fileName)
  .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
  .addHelpText(
    'after',
    `\nExit code: 0 if no promise is broken, 1 if one is, or if nothing starts.\n${examples(
      ['relay conformance', 'every promise, on a relay of this version'],
      ['relay conformance --url https://forms.example.com', 'what anybody can see of a relay'],
      ['relay conformance --adapter product.mjs --format json', 'another product, for other programs'],
    )}`,
  )
  .action(async (_, command: Command) =>
    (await import('../measure_product.ts')).measureProduct(command.optsWithGlobals(), command),
  );
