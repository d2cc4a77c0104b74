import { Command } from 'commander';
import { examples, fileName } from '../usage.ts';

export const keyPublic = new Command('public')
  .argument('[file]', 'the file with the private key', fileName, 'key.txt')
  .description('print the public key that belongs to a private one')
  .addHelpText('after', examples(['relay key public key.txt', 'for seal_to in the config']))
  .action(async (file: string) => (await import('../make_key.ts')).printPublicKeys(file));
