import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, Unavailable } from './check.ts';
import { inFolder, root, run } from './run.ts';

export const terraform: Check = {
  needs: ['terraform'],
  run: () =>
    inFolder((folder) => {
      const copy = join(folder, 'terraform');
      cpSync(join(root, 'deploy/terraform'), copy, { recursive: true });
      const terraform = (...args: readonly string[]) => run('terraform', [`-chdir=${copy}`, ...args]).stdout;
      terraform('fmt', '-check', '-diff', '-recursive');
      // Reads it all, and needs no provider yet.
      terraform('providers', '-no-color');
      try {
        terraform('init', '-input=false', '-no-color');
      } catch {
        throw new Unavailable('the form is right; the AWS provider is not available, so nothing is planned');
      }
      terraform('validate', '-no-color');
      const [said = 'nothing was tried'] =
        /\d+ passed, \d+ failed/.exec(terraform('test', '-no-color')) ?? [];
      return `is valid, and plans as it should against a mocked AWS: ${said}`;
    }),
};
