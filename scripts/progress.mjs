// Shows on stderr how long each step takes: in a line that updates on a terminal, in plain lines without one. Stdout
// belongs to the command that follows. Runs before anything is installed, so it uses no dependency.
import { exec } from 'node:child_process';
import { promisify } from 'node:util';

const isTerminal = process.stderr.isTTY && process.env.TERM !== 'dumb';

/** Does the work, and shows its title and the time that it takes. */
export async function step(title, work) {
  const start = performance.now();
  // After "1 min 59 s", "2 min 0 s" is shorter: \x1b[K clears what is left of it.
  const [begin, clear] = isTerminal ? ['\r', '\x1b[K'] : ['', ''];
  const show = (end) => process.stderr.write(`${begin}${title} … ${since(start)}${clear}${end}`);
  if (isTerminal) show('');
  else process.stderr.write(`${title} …\n`);
  const timer = isTerminal ? setInterval(show, 1000, '') : undefined;
  try {
    const result = await work();
    show(', done\n');
    return result;
  } catch (error) {
    show(', failed\n');
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Runs a line of shell as a step, and resolves with what it prints on stdout. Ends the process where it fails. */
export function shellStep(title, command, cwd) {
  return step(title, async () => {
    const running = promisify(exec)(command, { cwd, maxBuffer: Number.POSITIVE_INFINITY });
    running.child.stdin.end();
    return (await running).stdout;
  }).catch(({ stdout, stderr }) => {
    process.stderr.write(`${stdout}${stderr}${title} failed: ${command}\n`);
    process.exit(1);
  });
}

/** For example `7 s` or `1 min 12 s`. */
function since(start) {
  const seconds = Math.round((performance.now() - start) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
