import { CommandFailed } from './command_failed.ts';

/** Throws a `CommandFailed` where Node cannot share a port: it would ignore the option. */
export function checkReusePort(node: string): void {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isKnown = major === 22 ? minor >= 12 : major === 23 ? minor >= 1 : major > 23;
  if (!isKnown)
    throw new CommandFailed(
      `REUSE_PORT needs Node 22.12, or 23.1 and later, and this is Node ${node}; unset it, and give each copy its own PORT (docs/copies.md)`,
    );
}
