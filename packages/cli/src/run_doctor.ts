import { Resolver } from 'node:dns/promises';
import type { ConfigSource } from '@form-relay/relay/config';
import type { Diagnosis } from '@form-relay/relay/diagnosis';
import { openStore } from '@form-relay/relay/kept';
import { openCounts } from '@form-relay/relay/places';
import {
  askClamd,
  createListBucket,
  createNodeHttpClient,
  createSesReader,
  createSmtpConnect,
  createTryConnect,
  createWriteIntoBucket,
  ownAws,
  readTextFile,
  tryFolder,
} from '@form-relay/relay/transports';
import { type Examination, examine } from './doctor/examine.ts';
import { settle } from './doctor/setup.ts';
import type { World } from './doctor/world.ts';
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
  const { env } = process;
  const now = Date.now;
  const aws = ownAws((name) => env[name], now);
  const stores = { readEnv: (name: string) => env[name], aws, now };
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const world: World = {
    env,
    now,
    http: createNodeHttpClient(now),
    resolver,
    tryConnect: createTryConnect(),
    askClamd,
    connectSmtp: createSmtpConnect({ ehloName: settle(env).settings.smtpEhloName }),
    askSes: createSesReader(aws),
    readFile: readTextFile,
    tryFolder,
    listBucket: createListBucket(aws),
    writeIntoBucket: createWriteIntoBucket(aws),
    writes,
    openStore: (keep) => openStore(keep, stores),
    openCounts: (place) => openCounts(place, stores),
  };
  try {
    return await examine(await readOwnSetup(config), world);
  } finally {
    // Questions that were given up must not keep the process alive.
    resolver.cancel();
  }
}

/** A JSON object for stdout. */
const asJson = (examinations: readonly Examination[]): string =>
  `${JSON.stringify(reportOf(examinations), null, 2)}\n`;

/** The counts of all verdicts, and each diagnosis. */
export function reportOf(examinations: readonly Examination[]) {
  const diagnoses = examinations.flatMap(({ title, diagnoses }) =>
    diagnoses.map((diagnosis) => ({ examination: title, ...diagnosis })),
  );
  return { ...countsOf(examinations), diagnoses };
}

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

function countsOf(examinations: readonly Examination[]) {
  const verdicts = examinations.flatMap(({ diagnoses }) => diagnoses.map(({ verdict }) => verdict));
  const countOf = (wanted: Diagnosis['verdict']) => verdicts.filter((verdict) => verdict === wanted).length;
  return { ok: countOf('ok'), warnings: countOf('warning'), failures: countOf('failure') };
}
