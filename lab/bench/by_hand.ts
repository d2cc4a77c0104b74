/** Relays for one form, written by hand in Node and in Go: what users would measure the relay by. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, spawnCommand } from './process.ts';

/** The processes, by the names of their rows. `target`: the origin of an HTTP sink, or the port of one for mails. */
export function startByHand(kind: 'http' | 'smtp', target: string): readonly (readonly [string, Child])[] {
  const node = `by hand: Fastify and ${kind === 'smtp' ? 'nodemailer' : 'undici'}`;
  const script = [process.execPath, 'lab/bench/by_hand/relay.mjs', kind, target];
  const go = buildGo();
  return [
    [node, spawnCommand(script, {})],
    ...(go ? [['by hand: Go', spawnCommand([go, kind, target], { GOMAXPROCS: '1' })] as const] : []),
  ];
}

/** The Go relay's program, or `undefined` where Go is not installed. */
function buildGo(): string | undefined {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
  } catch {
    console.log('Go is not installed: the relay written in Go is left out.');
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'bench-go-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const program = join(folder, 'relay');
  execFileSync('go', ['build', '-o', program, 'relay.go'], {
    cwd: fileURLToPath(new URL('by_hand', import.meta.url)),
    stdio: 'inherit',
  });
  return program;
}
