/** docs/proof.md, made from the results of `npm run everything`. */
import { resultOf, stepNames, steps } from '../lab/proof/steps.ts';

const head = `# Proof

Long runs try the promises of the relay at a scale that tests do not reach. \`npm run everything\` repeats all of them;
\`npm run everything -- flood soak\` repeats some. This page has the last result of each, with its date, commit and machine.
[lab/](../lab/README.md) has the programs.
`;

export function proof(): string {
  return `${[head, ...stepNames.map(section)].join('\n')}`;
}

function section(name: (typeof stepNames)[number]): string {
  const { title, promise } = steps[name];
  const result = resultOf(name);
  if (!result) return `## ${title}\n\n${promise}\n\nNot run yet.\n`;
  const { passed, date, commit, machine, minutes, command, conditions, tables } = result;
  const facts = [
    `${date}, commit \`${commit}\`, ${minutes} minutes`,
    machine,
    ...(conditions ? [conditions] : []),
  ];
  return [
    `## ${title}\n`,
    `${promise}\n`,
    `**${passed ? 'Passed' : 'Failed'}.** ${facts.join('; ')}.\n`,
    `\`npx ${command}\`\n`,
    ...Object.entries(tables).flatMap(([caption, rows]) => [
      ...(caption ? [`${caption}:\n`] : []),
      `${table(rows)}\n`,
    ]),
  ].join('\n');
}

function table(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const written = (value: string | number | undefined) =>
    typeof value === 'number' ? value.toLocaleString('en') : (value ?? '');
  return [
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => written(row[column])))),
  ].join('\n');
}
