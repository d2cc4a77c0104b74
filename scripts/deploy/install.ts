import type { Check } from './check.ts';
import { run } from './run.ts';

const script = 'deploy/install/install.sh';

export const install: Check = {
  needs: ['shellcheck'],
  run: async () => {
    run('shellcheck', ['--shell=sh', script]);
    return `${script} is POSIX; npm run installs tries it in an empty Debian`;
  },
};
