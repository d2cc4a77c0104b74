import { Command, pageName, relayAddress } from '../usage.ts';

export const check = new Command('check')
  .argument('<page>', 'an HTML file', pageName)
  .option('--form <name>', 'the form that the page is compared with, where the config has several')
  .option('--base-url <url>', "the relay's address, which the page must send to", relayAddress)
  .option('--json', 'print the findings as JSON')
  .summary('compare a page with a form of the config')
  .description('compare the forms of a page with the config: fields, options, address, method, checks')
  .addHelpText('after', `\nExit code: 0 if the page fits (warnings do not count), 1 if it does not.`)
  .examples([
    'relay check public/contact.html --form contact',
    'what visitors would lose, and where in the page',
  ])
  .runs(async (options, page: string) => (await import('../compare_page.ts')).comparePage(page, options));
