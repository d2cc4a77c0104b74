import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Check, Unavailable } from './check.ts';
import { inFolder, root, run } from './run.ts';

const wrangler = 'wrangler@4.164.0';
/** The size that a Worker may have, compressed. */
const mostBytes = 1_000_000;

/** Wrangler bundles the project, without an account. */
export const cloudflare: Check = {
  needs: ['npx'],
  run: () =>
    inFolder((folder) => {
      cpSync(join(root, 'deploy/cloudflare'), folder, { recursive: true });
      mkdirSync(join(folder, 'node_modules'));
      symlinkSync(root, join(folder, 'node_modules/form-relay'));
      const npx = ['--yes', '-p', 'node@24', '-p', wrangler];
      try {
        run('npx', [...npx, 'wrangler', '--version']);
      } catch {
        throw new Unavailable(`${wrangler} cannot be had through npm here`);
      }
      const words = ['deploy', '--dry-run', '--cwd', folder, '--outdir', join(folder, 'out')];
      const { stdout } = run('npx', [...npx, 'wrangler', ...words], { WRANGLER_SEND_METRICS: 'false' });
      const { length } = gzipSync(readFileSync(join(folder, 'out/worker.js')), { level: 9 });
      if (length > mostBytes) throw new Error(`the Worker has ${length} bytes compressed`);
      const missing = ['env.KEPT ', 'env.ASIDE ', 'env.COUNTS '].filter((name) => !stdout.includes(name));
      if (missing.length > 0) throw new Error(`${stdout}\nlacks ${missing.join(', ')}`);
      return `${wrangler} bundles the project: ${Math.round(length / 1_000)} KB compressed`;
    }),
};
