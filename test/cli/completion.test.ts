import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

const config = readFileSync(new URL('../../examples/contact-form/webform.yaml', import.meta.url), 'utf8');
const files = { 'webform.yaml': config, 'other.yaml': config.replace('contact:', '"two words":') };

/** How to ask each shell what it completes a line to: one candidate a line, `:files` for any file. */
const shells = {
  // Outside of a completion there is no `compopt` and no COMP_WORDS, which bash also splits at each `=`.
  bash: {
    command: ['bash', '--norc', '--noprofile'],
    ask: (line: string) => `source <(relay completion bash)
compopt() { echo :files; }
COMP_WORDS=(${line.replaceAll('=', ' = ').replace(/ $/, " ''")})
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_relay relay
[[ \${#COMPREPLY[@]} == 0 ]] || printf '%s\\n' "\${COMPREPLY[@]//\\\\/}"`,
  },
  zsh: {
    command: ['zsh', '-f'],
    ask: (line: string) => `compdef() { :; }
compset() { :; }
_files() { echo :files; }
_describe() { print -rl -- "\${(@)\${(P)2}%%:*}"; }
source <(relay completion zsh)
words=(${line.replace(/ $/, " ''")})
CURRENT=$#words
_relay`,
  },
  fish: {
    command: ['fish', '--no-config'],
    ask: (line: string) => `relay completion fish | source
function __fish_complete_path; echo :files; end
complete -C '${line}' | string split -f1 \\t`,
  },
} as const;

const isInstalled = (shell: string): boolean => {
  try {
    return execFileSync(shell, ['--version']).length > 0;
  } catch {
    return false;
  }
};

const forms = 'contact';
const formats = ['github', 'json', 'text'];

describe.each(Object.entries(shells))('%s', (shell, { command, ask }) => {
  // bash is everywhere that this is built; the others are tried where they are.
  test.skipIf(shell !== 'bash' && !isInstalled(shell)).each<[line: string, candidates: readonly string[]]>([
    ['relay ini', ['init']],
    ['relay form ', ['css', 'help', 'html', 'list', 'messages']],
    ['relay form messages d', ['da', 'de']],
    ['relay form html ', [forms]],
    ['relay --config other.yaml form html ', ['two words']],
    ['relay --config=other.yaml form html ', ['two words']],
    ['relay form html --config other.yaml --script ', ['two words']],
    ['relay check page.html --form ', [forms]],
    ['relay --config nosuch.yaml form html ', []],
    ['relay form html contact ', []],
    ['relay --config ', [':files']],
    ['relay init ', [':files']],
    ['relay init --from ', [':files']],
    ['relay init --output list', ['listmonk']],
    ['relay init --template c', ['callback', 'complaint', 'contact']],
    ['relay init --mail g', ['gandi', 'gmail', 'gmx', 'google_workspace']],
    ['relay init --from page.html --form ', []],
    ['relay config validate --format ', formats],
    ['relay config validate --fo', ['--for', '--format']],
    ['relay completion ', ['bash', 'fish', 'zsh']],
    ['relay archive ', ['erase', 'export', 'help', 'list', 'prune', 'show']],
    ['relay archive erase --from ', [':files']],
    ['relay archive list --from ', [':files']],
    ['relay archive export --from archive --form ', [forms]],
    ['relay archive export --format ', ['csv', 'jsonl']],
    ['relay rules ', ['help', 'learn', 'mark', 'replay']],
    ['relay rules replay --archive ', [':files']],
    ['relay rules mark some-id ', ['ham', 'spam']],
    ['relay key public ', [':files']],
    ['relay help conf', ['config']],
    ['relay help config ', ['build', 'schema', 'validate']],
  ])('completes %j', async (line, candidates) => {
    const terminal = await openTerminal({ files });
    const { stdout, stderr } = await terminal.run(ask(line), command);
    expect(stderr).toBe('');
    const typed = line.slice(line.lastIndexOf(' ') + 1);
    // zsh is given all of them, and chooses by itself.
    const offered = stdout.split('\n').filter((word) => word !== '' && word.startsWith(typed));
    expect(offered.sort()).toEqual(candidates);
  });
});
