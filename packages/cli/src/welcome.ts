/** `relay` without arguments, in a terminal: offers to make a form, or shows what the config here would do. */

import { existsSync } from 'node:fs';
import { configPath } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import { openContext } from './context.ts';
import { readEnvironment } from './environment.ts';

export async function welcome(): Promise<void> {
  readEnvironment(undefined);
  const context = openContext(undefined);
  const { calledAs: relay, env, print } = context;
  const isElsewhere = env.CONFIG_INLINE || env.CONFIG_FILE || env.CONFIG_BUCKET;
  const file = configPath(undefined, env);
  if (isElsewhere || existsSync(file)) {
    const name = isElsewhere ? 'The config in the environment' : file;
    const config = await context.config().catch((error: unknown) => {
      print(`${name} has mistakes, so the relay cannot start:\n\n`);
      throw error;
    });
    return tellConfig(name, config, relay, print);
  }
  print(`There is no ${file} here.\n`);
  if (await context.ask('Create a contact form?', process.stdout)) {
    const { plugin } = await import('./commands/init.ts');
    await plugin.commands?.find(({ name }) => name === 'init')?.run?.({}, context);
    return;
  }
  print(
    table([
      [`${relay} init --help`, 'forms, services and mail providers to start from'],
      [`${relay} demo`, 'a form and an inbox with made-up submissions'],
      [`${relay} --help`, 'every command'],
    ]),
  );
}

function tellConfig(name: string, config: Config, relay: string, print: (text: string) => void): void {
  const forms = [...config.forms.values()];
  const shown = forms.map(({ id, outputs }): Row => {
    const to = outputs.map(({ type, target }) => `${type}${target === undefined ? '' : ` (${target})`}`);
    return [id, to.length === 0 ? 'delivers nowhere' : `delivers to ${to.join(', ')}`];
  });
  print(`${name} has ${forms.length === 1 ? '1 form' : `${forms.length} forms`}:

${table(shown)}
Next:
${table([
  [
    `${relay} serve`,
    `serve ${forms.length === 1 ? 'it' : 'them'} on http://localhost:${process.env.PORT || 8080}`,
  ],
  [`${relay} dev`, 'view and change the form in the studio; sends nothing'],
  [`${relay} doctor`, 'check that everything is set and each server responds'],
  [`${relay} --help`, 'list every command'],
])}`);
}

type Row = readonly [left: string, right: string];

function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}    ${right}\n`).join('');
}
