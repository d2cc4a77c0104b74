/** `relay init`, which also writes the files for deploying a config to a server, from the same sources as the studio. */
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  type Command,
  type CommandContext,
  CommandFailed,
  configPath,
  option,
} from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { anyText, textSchema } from '@form-relay/schema/scalars';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { plugin as starters } from '@form-relay/starters/command';
import { DeployMistake, type Deployment, deployment } from '@form-relay/starters/deploy';
import { deployTargets } from '@form-relay/starters/deploy_targets';
import { deploySources, writeBeside } from '../local_relay.ts';

const names = Object.keys(deployTargets);

const targetName = textSchema((text, at) => {
  const name = text.toLowerCase().replaceAll(/[-. ]/g, '_').replace(/_io$/, '');
  if (names.includes(name)) return name;
  return at.error(
    `No target has this name${didYouMean(nearest(name, names))}. Choose one of ${names.join(', ')}.`,
  );
});

const [own] = starters.commands as readonly [Command];

const init: Command = {
  ...own,
  options: {
    ...own.options,
    deploy: option(
      'target',
      'files for a server that runs the config: one of the targets below',
      targetName,
      {
        conflicts: ['from', 'form', 'output', 'mail', 'template'],
      },
    ),
    domain: option(
      'name',
      'with --deploy: public host name of the relay, such as forms.example.com',
      anyText,
    ),
  },
  notes: `${own.notes}\n\nTargets:\n  ${names.join(', ')}`,
  examples: [
    ...(own.examples ?? []),
    ['relay init --deploy render', 'files for a server, beside webform.yaml'],
  ],
  run: async ({ deploy, domain, ...given }: Readonly<Record<string, unknown>>, context) => {
    if (typeof deploy === 'string') return writeDeployment(deploy, domain as string | undefined, context);
    if (domain !== undefined) throw context.misuse("option '--domain' needs '--deploy'");
    return own.run?.(given, context);
  },
};

export const plugin: Plugin = { name: 'init', commands: [init] };

/** Examples that may be left in files and commands. */
const examples = [
  ['forms.example.com', 'your host name, or set it with --domain'],
  ['you@example.com', 'your address'],
  ['images.example.com', 'your container registry'],
  ['your-project', 'the id of your project'],
] as const;

async function writeDeployment(
  target: string,
  domain: string | undefined,
  context: CommandContext,
): Promise<void> {
  const { calledAs, configOption, env, print } = context;
  const file = configPath(configOption, env);
  const config = await readFile(file, 'utf8').catch(() => {
    throw new CommandFailed(`there is no ${file} to deploy; create one with ${calledAs} init`);
  });
  const { forms, env: used } = await context.config();
  const { title, page, place, before } = deployTargets[target] as (typeof deployTargets)[string];
  const host = domain?.toLowerCase() ?? 'forms.example.com';
  const made = await make(target, {
    domain: host,
    email: 'you@example.com',
    place: (place?.[1] ?? '').replace('forms-example-com', host.replaceAll('.', '-')),
    config,
    file: basename(file),
    form: [...forms.keys()][0] ?? 'contact',
    variables: [...new Set(used.filter(({ isNeeded }) => isNeeded).map(({ name }) => name))],
  });
  const written = await writeBeside(dirname(file), made.files);
  if (!written.ok) throw new CommandFailed(written.error);
  print(`Files for ${title}:\n${made.files.map(({ path }) => `  ${path}\n`).join('')}`);
  const commands = made.steps.flatMap(({ parts }) =>
    parts.flatMap(({ code }) =>
      code === undefined ? [] : [code.replace(/^relay init --deploy.*\n/m, '').trimEnd()],
    ),
  );
  const all = [...made.files.map(({ text }) => text), ...commands].join('\n');
  const notes = [
    ...made.notes,
    ...examples
      .filter(([example]) => all.includes(example))
      .map(([example, own]) => `Replace ${example} with ${own}.`),
  ];
  if (notes.length > 0) print(`\nStill to do:\n${notes.map((note) => `  - ${note}\n`).join('')}`);
  print(
    `\nNext, as docs/${page} explains${before === undefined ? '' : `, ${before}`}:\n\n${commands.join('\n').replaceAll(/^(?=.)/gm, '  ')}\n`,
  );
}

async function make(target: string, options: Parameters<typeof deployment>[1]): Promise<Deployment> {
  try {
    return deployment(target, options, await deploySources());
  } catch (error) {
    if (!(error instanceof DeployMistake)) throw error;
    throw new CommandFailed(
      error.message === 'domain'
        ? `${options.domain} is not a public host name; write one such as --domain forms.example.com`
        : `${error.message} of the config contains characters that are not allowed in commands; rename it`,
    );
  }
}
