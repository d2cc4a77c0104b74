import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { quoted } from '@form-relay/base/terminal';
import { type CommandContext, CommandFailed, configPath } from '@form-relay/core/command';
import { configSchemaText } from '@form-relay/runtimes/inspect';

/** The schema is written next to the config, where every editor finds it, since it has no public URL. */
export const schemaName = 'webform.schema.json';

interface Said {
  readonly wrote: string;
  /** News to print before the next steps. */
  readonly news?: string;
  readonly next: readonly (readonly [command: string, purpose: string])[];
}

/** Writes a new config, and prints what was done and what to do next. `relay` is the command that runs with this config. */
export async function writeConfig(
  file: string | undefined,
  context: CommandContext,
  text: string,
  say: (names: { readonly config: string; readonly relay: string }) => Said,
): Promise<void> {
  const { calledAs, configOption, env } = context;
  const config = file ?? configPath(configOption, env);
  if (!(await create(config, text))) {
    throw new CommandFailed(
      `${config} already exists and was not changed; write another file with ${calledAs} init FILE`,
    );
  }
  const schema = join(dirname(config), schemaName);
  const schemaIsNew = await create(schema, await configSchemaText());
  const relay = config === configPath(undefined, env) ? calledAs : `${calledAs} --config ${quoted(config)}`;
  const { wrote, news = '', next } = say({ config, relay });
  const width = Math.max(...next.map(([command]) => command.length));
  context.print(`${wrote}
${schemaIsNew ? 'Wrote' : 'Left'} ${schema}${schemaIsNew ? '' : ' as it was'}: editors use this schema to complete and check the config.
${news}
Next:
${next.map(([command, purpose]) => `  ${command.padEnd(width)}    ${purpose}\n`).join('')}`);
}

/** Returns `false` if the file already exists. Rejects with a `CommandFailed` if it cannot be written. */
async function create(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    const reason = code === 'ENOENT' ? 'the folder does not exist' : `the file cannot be written (${code})`;
    throw new CommandFailed(`${file}: ${reason}`);
  }
}

/** The first lines of every written config. */
export const configHeader = `# yaml-language-server: $schema=${schemaName}
# The line above lets editors complete and check this file. After an update of the relay:
#   relay config schema > ${schemaName}
`;
