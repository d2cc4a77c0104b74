import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { inFolder, root, run } from './run.ts';

export const nginx: Check = {
  needs: ['nginx'],
  run: () =>
    inFolder((folder) => {
      const path = join(folder, 'nginx.conf');
      writeFileSync(
        path,
        `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; include ${root}deploy/nginx/form-relay.conf; }`,
      );
      run('nginx', ['-t', '-q', '-p', folder, '-c', path]);
      return 'nginx takes the file; its tests run with all others';
    }),
};
