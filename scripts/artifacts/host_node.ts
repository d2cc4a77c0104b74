import { execFileSync } from 'node:child_process';

/** The path of Node 24 or later for this platform: the current one, or npm's. */
export function hostNode(): string {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  return execFileSync('npx', ['--yes', '-p', 'node@24', 'node', '-p', 'process.execPath'], {
    encoding: 'utf8',
  }).trim();
}

/** Evaluates an expression with this Node, and returns its output. */
export const printedBy = (node: string, expression: string): string =>
  execFileSync(node, ['-p', expression], { encoding: 'utf8' });
