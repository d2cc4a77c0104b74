// Shows on stderr how long each step takes: in a line that updates on a terminal, else in plain lines. Stdout
// belongs to the command that follows. Runs before dependencies are installed, so it uses none.
import { exec } from 'node:child_process';
import { promisify } from 'node:util';

const isTerminal = process.stderr.isTTY && process.env.TERM !== 'dumb';

/** Runs the work, and shows its title and duration. */
export async function step(title, work) {
  const start = performance.now();
  // "2 min 0 s" is shorter than "1 min 59 s": \x1b[K clears the rest of the line.
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

/** Runs a shell command as a step, and resolves with its stdout. Exits if the command fails. */
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
