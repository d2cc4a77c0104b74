/**
 * Golden terminal transcripts of the built command line, dist/relay.cjs (`npm test` builds it; by hand:
 * `node scripts/setup.mjs`). A transcript is a text file:
 *
 *     == A sentence that says what this shows.
 *     $ relay config validate
 *     ok
 *
 *     == A command is a line of sh, so pipes, redirections and variables work: `$ NO_COLOR=1 relay form list | head -1`.
 *     $ relay form html nosuch
 *     2> there is no form "nosuch"; relay form list shows all forms
 *     exit: 1
 *
 *     -- webform.yaml --
 *     forms: {}
 *
 * Each command is followed by its output: stdout, then stderr (each line after `2> `), then its exit code unless
 * that is 0. The files at the end, each from its `-- name --` line to the next, are written to a new working
 * directory, in which all commands of the transcript run in order. The environment has only PATH and HOME.
 *
 * For a new transcript, write only its commands and files:
 * `UPDATE=1 npx vitest run packages/cli/test/transcripts.test.ts` adds the output (`-t NAME` for a single one).
 * Read every changed line, because users will read it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { openTerminal, type Printed, type Terminal } from './terminal.ts';

export interface Stage {
  /** Variables for the commands, such as the URL of a server that the test started. */
  readonly env?: Readonly<Record<string, string>>;
  /** Texts that differ between runs, and their replacements: `[['127.0.0.1:4711', 'SERVER']]`. */
  readonly instead?: readonly (readonly [found: string, written: string])[];
}

/** Runs the commands of a transcript and compares the output. With UPDATE=1, writes the new output instead. */
export async function checkTranscript(file: string | URL, { env, instead = [] }: Stage = {}): Promise<void> {
  const expected = await readFile(file, 'utf8');
  const [script = '', ...parts] = expected.split(/^-- (.+) --\n/m);
  const files = parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : []));
  const terminal = await openTerminal({ env, files: Object.fromEntries(files) });
  const played = await play(script, terminal, [[terminal.cwd, '$PWD'], ...instead]);
  const actual = played + expected.slice(script.length);
  if (process.env.UPDATE) await writeFile(file, actual);
  else expect(actual).toBe(expected);
}

/** Keeps the words and commands of a script, and writes below each command what it prints now. */
async function play(
  script: string,
  terminal: Terminal,
  instead: NonNullable<Stage['instead']>,
): Promise<string> {
  let played = '';
  let isBelowWords = true;
  for (const [line] of script.matchAll(/^(== |\$ ).+\n/gm)) {
    played += isBelowWords ? line : `\n${line}`;
    isBelowWords = line.startsWith('== ');
    if (isBelowWords) continue;
    const printed = asRecorded(await terminal.run(line.slice(2, -1)));
    played += instead.reduce((all, [found, written]) => all.replaceAll(found, written), printed);
  }
  return script.endsWith('\n\n') ? `${played}\n` : played;
}

/** The output as a terminal would show it, and the exit code. */
const asRecorded = ({ stdout, stderr, code }: Printed): string =>
  `${visible(stdout)}${visible(stderr).replaceAll(/^(.*)\n/gm, (_, line) => `${`2> ${line}`.trimEnd()}\n`)}${code === 0 ? '' : `exit: ${code}\n`}`;

/** Escapes characters that a text file would not show, and rejects output that would look like part of a transcript. */
function visible(printed: string): string {
  expect(printed).not.toMatch(/^(== |\$ |exit: |-- .+ --$)/m);
  const whole = printed === '' || printed.endsWith('\n') ? printed : `${printed}(no newline at the end)\n`;
  return whole.replaceAll('\x1b', '␛').replaceAll('\r', '␍');
}
