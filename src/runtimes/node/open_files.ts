import { readFileSync } from 'node:fs';

/** How many files and connections the process may have open (`ulimit -n`), where Linux says it. */
export function openFilesLimit(): number {
  try {
    return Number(
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity,
    );
  } catch {
    return Infinity;
  }
}
