import { InvalidArgumentError } from 'commander';
import type { PlacesOptions } from '../show_places.ts';
import { Command } from '../usage.ts';

export const places = new Command('places')
  .argument('[form]', 'the form; all forms that count when absent')
  .summary('show how many places are taken, and correct that')
  .description(
    'show how many places are taken and left, and what a crash has hidden: such places stay taken until you say what became of them',
  )
  .option('--set <number>', 'how many are taken: `12`, or of an option: `workshop=a=12`')
  .option('--release <id>', 'give a reserved place or link back: nobody got its submission')
  .option('--settle <id>', 'take a reserved place or link for good: its submission was delivered')
  .option('--forget <value>', 'let a value that comes `once` come again, such as an address')
  .option('--json', 'print a JSON object a form')
  .examples(
    ['relay places', 'what is taken and left of all forms'],
    ['relay places course --set 12', 'somebody has cancelled'],
    ['relay places course --set workshop=a=3', 'the same of an option'],
  )
  .runs(async (options: PlacesOptions, form?: string) => {
    const changes = [options.set, options.release, options.settle, options.forget].filter(Boolean);
    if (changes.length > 1)
      throw new InvalidArgumentError("one of '--set', '--release', '--settle' and '--forget'");
    if (changes.length > 0 && form === undefined) throw new InvalidArgumentError('name the form');
    return (await import('../show_places.ts')).showPlaces(form, options);
  });
