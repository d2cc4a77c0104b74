/** Lists in manual pages that are derived from the code: commands and metrics. */
import { readFileSync } from 'node:fs';
import { ownCommand, ownSummaries } from '../packages/cli/src/commands.ts';
import type { Command } from '../packages/core/src/command.ts';
import { type Metric, metrics } from '../packages/telemetry/src/metrics/tally.ts';
import { readYaml } from './data.ts';

const marks = ['<!-- generated: `npm run generate` -->', '<!-- /generated -->'] as const;

/** A page with its list replaced. */
function withList(page: string, lines: readonly string[]): string {
  const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
  const [before, rest = ''] = text.split(marks[0]);
  const [, after] = rest.split(marks[1]);
  if (after === undefined) throw new Error(`${page} has no list between ${marks.join(' and ')}`);
  return `${before}${marks[0]}\n\n${lines.join('\n')}\n\n${marks[1]}${after}`;
}

/** Which page explains each command, by group. */
const groups = readYaml<Readonly<Record<string, Readonly<Record<string, string>>>>>(
  new URL('pages/commands.yaml', import.meta.url),
);

export async function commandLine(): Promise<string> {
  const own = await Promise.all(ownSummaries.map(({ name }) => ownCommand(name)));
  const all = new Map(
    own.flatMap((one) =>
      one?.commands
        ? one.commands.map((inner) => [`${one.name} ${inner.name}`, inner] as const)
        : one
          ? [[one.name, one] as const]
          : [],
    ),
  );
  const lineOf = (name: string, page: string) => {
    const command = all.get(name);
    if (!command) throw new Error(`there is no command ${name}`);
    all.delete(name);
    return `- \`relay ${name}${argumentsOf(command)}\`: [${command.summary}](${page})`;
  };
  const lines = Object.entries(groups).flatMap(([title, pages], at) => [
    ...(at > 0 ? [''] : []),
    `### ${title}`,
    '',
    ...Object.entries(pages).map(([name, page]) => lineOf(name, page)),
  ]);
  if (all.size > 0)
    throw new Error(`scripts/pages/commands.yaml names no page for ${[...all.keys()].join(', ')}`);
  return withList('docs/command-line.md', lines);
}

const argumentsOf = ({ arguments: given = {} }: Command) =>
  Object.entries(given)
    .filter(([, { isRequired }]) => isRequired)
    .map(([name]) => ` ${name.replaceAll(/[A-Z]/g, '-$&').toUpperCase()}`)
    .join('');

export const metricList = (): string =>
  withList(
    'docs/metric-list.md',
    Object.entries<Metric>(metrics).map(([name, { type, help, labels }]) => {
      const by = labels.length > 0 ? `, by ${labels.map((label) => `\`${label}\``).join(' ')}` : '';
      return `- \`${name}\` (${type}${by}): ${help}`;
    }),
  );
