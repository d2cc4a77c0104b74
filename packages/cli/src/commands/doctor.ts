import type { Finding } from '@form-relay/base/finding';
import { colour, count } from '@form-relay/base/terminal';
import type { ConfigSource } from '@form-relay/config/source';
import { command, flag } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { countsOf, type Examination, examine, reportOf } from '@form-relay/doctor/examine';
import { readOwnSetup } from '../own_setup.ts';

const doctor = command({
  name: 'doctor',
  summary: 'check everything that a submission needs',
  description:
    'check everything that a submission needs: config, environment, servers, DNS; sends no submission',
  options: {
    json: flag('print the diagnoses as JSON'),
    write: flag('write one object into each archive, and delete it'),
  },
  notes:
    'Run it where the relay runs, with the same environment and config.\nExit code: 0 if nothing would fail, 1 if something would.',
  examples: [
    ['relay doctor', 'each line says ok, warning or FAILURE, and what to do'],
    ['relay doctor --json', 'for other programs'],
  ],
  run: async ({ json, write = false }, { configOption, print }) => {
    const examinations = await diagnose(configOption, write);
    print(json ? asJson(examinations) : asText(examinations));
    return countsOf(examinations).failures === 0 ? 0 : 1;
  },
});

export const plugin: Plugin = { name: 'doctor', commands: [doctor] };

/** @param writes Whether to write one object into each archive and delete it. */
export async function diagnose(
  config: string | ConfigSource | undefined,
  writes: boolean,
): Promise<readonly Examination[]> {
  return examine(await readOwnSetup(config), { writes });
}

/** A JSON object for stdout. */
const asJson = (examinations: readonly Examination[]): string =>
  `${JSON.stringify(reportOf(examinations), null, 2)}\n`;

const asText = (examinations: readonly Examination[]): string => {
  const parts = examinations.map(
    ({ title, findings }) => `${colour('bold', title, process.stdout)}\n${findings.map(lines).join('')}`,
  );
  const { ok, warnings, failures } = countsOf(examinations);
  return `${parts.join('\n')}\n${ok} ok, ${count(warnings, 'warning')}, ${count(failures, 'failure')}\n`;
};

const words = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  failure: ['FAILURE', 'red'],
} as const;

function lines({ subject, level, says, remedy, record }: Finding & { readonly subject: string }): string {
  const [word, hue] = words[level];
  const [first = '', ...more] = says.split('\n');
  return [
    `  ${colour(hue, word.padEnd(7), process.stdout)}  ${subject}: ${first}`,
    ...more.map((line) => indent + line),
    ...(remedy?.split('\n') ?? []).map((line) => `${indent}-> ${line}`),
    ...Object.entries(record ?? {}).map(([what, text]) => `${indent}   ${what.padEnd(5)}  ${text}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

const indent = ' '.repeat(11);
