import type { ConfigSource } from '@form-relay/config/source';
import { openContext } from '@form-relay/doctor/context';
import { type Examination, examine } from '@form-relay/doctor/examine';
import { countsOf, reportOf } from '@form-relay/doctor/report';
import type { Diagnosis } from '@form-relay/mail-dns';
import { readOwnSetup } from './own_setup.ts';
import { colour, count } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';

export interface DoctorOptions extends GlobalOptions {
  readonly json?: boolean;
  readonly write?: boolean;
}

/** Checks everything that a submission needs, and sends none. Exit code 1 when something would fail. */
export async function runDoctor({ json = false, write = false, config }: DoctorOptions): Promise<void> {
  const examinations = await diagnose(config, write);
  process.exitCode = countsOf(examinations).failures === 0 ? 0 : 1;
  process.stdout.write(json ? asJson(examinations) : asText(examinations));
}

/** @param writes Whether one object is written into each archive, and deleted. */
export async function diagnose(
  config: string | ConfigSource | undefined,
  writes: boolean,
): Promise<readonly Examination[]> {
  const context = openContext(process.env, writes);
  try {
    return await examine(await readOwnSetup(config), context);
  } finally {
    context.close();
  }
}

/** A JSON object for stdout. */
const asJson = (examinations: readonly Examination[]): string =>
  `${JSON.stringify(reportOf(examinations), null, 2)}\n`;

const asText = (examinations: readonly Examination[]): string => {
  const parts = examinations.map(
    ({ title, diagnoses }) => `${colour('bold', title, process.stdout)}\n${diagnoses.map(lines).join('')}`,
  );
  const { ok, warnings, failures } = countsOf(examinations);
  return `${parts.join('\n')}\n${ok} ok, ${count(warnings, 'warning')}, ${count(failures, 'failure')}\n`;
};

const words = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  failure: ['FAILURE', 'red'],
} as const;

function lines({ subject, verdict, says, remedy, record }: Diagnosis): string {
  const [word, hue] = words[verdict];
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
