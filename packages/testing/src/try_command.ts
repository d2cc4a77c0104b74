import { readFile } from 'node:fs/promises';
import type { CommandContext } from '@form-relay/core/command';
import { sharedKit } from '@form-relay/plugin-host/kit';
import { openTrial, type RelayTrial } from './try_relay.ts';

export interface TriedCommand {
  /** The exit code: 1 if it failed, 2 if it was called wrongly. */
  readonly code: number;
  readonly printed: string;
  /** The text on stderr. */
  readonly failed: string;
}

/**
 * Runs a command of a plug-in in the test's process, with a relay that has these forms. Questions are answered with yes.
 *
 * @param given Its arguments and options, as their kinds read them.
 * @example await tryCommand({ plugins: [plugin], forms: { contact: { fields: [{ name: 'name' }] } } }, 'leads');
 */
export async function tryCommand(
  trial: RelayTrial,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<TriedCommand> {
  const { plugins = [], env = {} } = trial;
  const made = plugins.map((one) => (typeof one === 'function' ? one(sharedKit(), {}) : one));
  const command = made.flatMap(({ commands = [] }) => commands).find((one) => one.name === name);
  if (!command) throw new Error(`none of these plug-ins has the command "${name}"`);
  const { relay, tried } = await openTrial(trial);
  const failures = new Map<unknown, number>();
  const failing = (code: number) => (says: string) => {
    const error = new Error(says);
    failures.set(error, code);
    return error;
  };
  let printed = '';
  const config = async () => {
    const loaded = await relay.config.get();
    if (!loaded) throw new Error('the config does not load');
    return loaded;
  };
  const context: CommandContext = {
    calledAs: 'relay',
    configOption: undefined,
    env,
    config,
    tryConfig: async () => ({ ok: true, value: await config() }),
    relay: async () => relay,
    read: (path) => readFile(path),
    ask: async () => true,
    print: (text) => {
      printed += text;
    },
    fail: failing(1),
    misuse: failing(2),
  };
  try {
    const code = await command.run?.(given, context);
    return { code: typeof code === 'number' ? code : 0, printed, failed: '' };
  } catch (error) {
    const code = failures.get(error);
    if (code === undefined) throw error;
    return { code, printed, failed: (error as Error).message };
  } finally {
    await tried.close();
  }
}
