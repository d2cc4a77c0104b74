/** The context of commands: the config, a relay, and the terminal. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { whyUnreadable } from '@form-relay/base/text_file';
import { type CommandContext, CommandFailed, Misuse } from '@form-relay/core/command';
import type { Relay } from '@form-relay/runtimes/running_relay';
import { calledAs } from './environment.ts';

/** Loads each part only when a command needs it. */
export function openContext(configOption: string | undefined): CommandContext & { close(): Promise<void> } {
  let opened: Relay | undefined;
  const setup = () => import('./own_setup.ts');
  return {
    calledAs: calledAs(),
    configOption,
    env: process.env,
    config: async () => (await setup()).loadOwnConfig(configOption),
    tryConfig: async () => (await setup()).readOwnConfig(configOption),
    relay: async () => {
      const { makeRelay } = await setup();
      opened ??= makeRelay({ freezes: true, services: { log: () => {} } });
      return opened;
    },
    read,
    ask,
    print: (text) => void process.stdout.write(text),
    fail: (says) => new CommandFailed(says),
    misuse: (says) => new Misuse(says),
    close: async () => opened?.close(),
  };
}

/** `-` is stdin. */
function read(path: string): Promise<Buffer> {
  if (path === '-') return buffer(process.stdin);
  return readFile(path).catch((error: unknown) => {
    throw new CommandFailed(`${path}: ${whyUnreadable(error)}`);
  });
}

function ask(question: string, screen: NodeJS.WriteStream = process.stderr): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: screen });
  return new Promise((resolve) => {
    // The input may end without an answer (Ctrl-D, Ctrl-C).
    const end = () => {
      screen.write('\n');
      resolve(false);
    };
    lines.once('close', end);
    lines.question(`${question} [y/N] `, (said) => {
      lines.off('close', end);
      resolve(/^\s*y(es)?\s*$/i.test(said));
      lines.close();
    });
  });
}
