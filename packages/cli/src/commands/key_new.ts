import { Command } from 'commander';
import { examples, fileName } from '../usage.ts';

export const keyNew = new Command('new')
  .summary('make a key pair to seal archives with')
  .description('make a key pair: the private key goes into a file, the public one is printed')
  .option('--out <file>', 'the file for the private key; it must not be there', fileName, 'key.txt')
  .addHelpText('after', examples(['relay key new --out archive-key.txt', 'and what to keep where']))
  .action(async (options: { readonly out: string }) => (await import('../make_key.ts')).makeKey(options));
