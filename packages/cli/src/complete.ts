import { printable } from '@form-relay/relay/config';
import { writtenLanguages } from '@form-relay/relay/pages';
import { mailAccounts } from '@form-relay/relay/transports';
import { recipeNames } from '@form-relay/studio/recipe_names';
import { templateNames } from '@form-relay/studio/template_names';
import type { Argument, Command, Option } from 'commander';
import { tryConfig } from './load_config.ts';
import {
  archiveName,
  archiveNames,
  fileName,
  formName,
  languageTag,
  mailAccountName,
  pageName,
  recipeName,
  storeName,
  templateName,
} from './usage.ts';

/**
 * The scripts that shells run at the Tab key. They ask `relay __complete`, which answers from the commands as they are defined,
 * so a script stays right when the relay is updated. The answer `:files` lets the shell complete the name of a file.
 */
export const scripts = {
  bash: `# Completion of relay, for bash 4 and later.
_relay() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o default
    else
      word=$(printf %q "$word")
      if [[ $word == "\${COMP_WORDS[COMP_CWORD]#=}"* ]]; then COMPREPLY+=("$word"); fi
    fi
  done < <("$1" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _relay relay
`,
  zsh: `#compdef relay
# Completion of relay, for zsh.
_relay() {
  local line files
  local -a described
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=yes
    else
      described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <($words[1] __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( $#described )); then _describe relay described; fi
  if [[ $files ]]; then
    compset -P '--*='
    _files
  fi
}
if [[ $funcstack[1] == _relay ]]; then _relay; else compdef _relay relay; fi
`,
  fish: `# Completion of relay, for fish.
function __relay_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in ($words[1] __complete -- $words[2..] "$current" 2>/dev/null)
    if test "$line" = :files
      set -l option (string match -r '^--[^=]+=' -- $current)
      for path in (__fish_complete_path (string replace -r '^--[^=]+=' '' -- "$current"))
        echo "$option$path"
      end
    else
      echo $line
    end
  end
end
complete -c relay -f -a '(__relay_complete)'
`,
} as const;

export type Shell = keyof typeof scripts;

/**
 * Prints what may stand where the cursor is, one candidate a line: the word, a tab, what it means. `words` are those
 * after `relay` up to the cursor; the last one may be empty.
 */
export async function complete(relay: Command, words: readonly string[]): Promise<void> {
  const current = words.at(-1) ?? '';
  for (const [word, meaning] of await candidates(place(relay, words.slice(0, -1)), current)) {
    process.stdout.write(meaning === undefined ? `${word}\n` : `${word}\t${printable(meaning)}\n`);
  }
}

/** The cursor's place in a command line. */
interface Place {
  readonly command: Command;
  /** How many arguments of the command stand before it. */
  readonly argumentsSeen: number;
  /** The option whose value comes next. */
  readonly waiting: Option | undefined;
  /** Whether the words ask for help about a command. */
  readonly isHelp: boolean;
  readonly configOption: string | undefined;
}

function place(relay: Command, words: readonly string[]): Place {
  let command = relay;
  let argumentsSeen = 0;
  let waiting: Option | undefined;
  let isHelp = false;
  let configOption: string | undefined;
  for (const word of words) {
    if (waiting) {
      // bash makes three words of `--config=FILE`.
      if (word === '=') continue;
      if (waiting.long === '--config') configOption = word;
      waiting = undefined;
    } else if (word.startsWith('-')) {
      const [name, value] = assignment(word);
      const option = optionNamed(command, name);
      if (value === undefined) waiting = takesValue(option) ? option : undefined;
      else if (name === '--config') configOption = value;
    } else if (word === 'help' && command.commands.length > 0) {
      isHelp = true;
    } else {
      const next = command.commands.find((one) => one.name() === word);
      if (next) command = next;
      else argumentsSeen += 1;
    }
  }
  return { command, argumentsSeen, waiting, isHelp, configOption };
}

type Candidate = readonly [word: string, meaning: string] | readonly [':files'];

async function candidates(at: Place, current: string): Promise<readonly Candidate[]> {
  const { command, argumentsSeen, waiting, isHelp } = at;
  const subcommands = command.createHelp().visibleCommands(command);
  if (isHelp) return subcommands.filter((one) => one.name() !== 'help').map(described);
  if (waiting) return values(waiting, at);
  if (current.startsWith('-')) {
    const [name, value] = assignment(current);
    if (value === undefined) return optionsOf(command).map((one) => [one.long ?? one.flags, one.description]);
    const option = optionNamed(command, name);
    const all = takesValue(option) ? await values(option, at) : [];
    return all.map(([word, meaning]) => (meaning === undefined ? [':files'] : [`${name}=${word}`, meaning]));
  }
  if (subcommands.length > 0) return subcommands.map(described);
  const { registeredArguments } = command;
  const argument = registeredArguments[argumentsSeen];
  return argument ? values(argument, at) : [];
}

/** The values of an argument or an option: its choices, or what there is of its kind. */
async function values(taker: Argument | Option, { configOption }: Place): Promise<readonly Candidate[]> {
  const { argChoices, description, parseArg: kind } = taker;
  if (argChoices) return argChoices.map((choice) => [choice, description]);
  if (filesKinds.includes(kind)) return [[':files']];
  if (kind === languageTag) return writtenLanguages.map((tag) => [tag, languageNames.of(tag) ?? tag]);
  if (kind === recipeName) return Object.entries(recipeNames);
  if (kind === templateName) return Object.entries(templateNames);
  if (kind === mailAccountName) {
    return Object.entries(mailAccounts).map(([name, { title }]) => [name, title] as const);
  }
  if (kind !== formName) return [];
  const loaded = await tryConfig(configOption);
  return loaded.ok ? [...loaded.value.forms].map(([id, { title }]) => [id, title ?? 'form']) : [];
}

/** The kinds that name a file or a folder. */
const filesKinds: readonly unknown[] = [fileName, pageName, archiveName, archiveNames, storeName];

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

const described = (command: Command): Candidate => [
  command.name(),
  command.summary() || command.description(),
];

function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

const optionNamed = (command: Command, name: string) =>
  optionsOf(command).find(({ long, short }) => name === long || name === short);

const takesValue = (option: Option | undefined): option is Option =>
  !!option && (option.required || option.optional);

/** `--format=json` in two. */
const assignment = (word: string) =>
  /^(.*?)(?:=(.*))?$/s.exec(word)?.slice(1) as [name: string, value?: string];
