/** Relays with a journal, and readers of it. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JournalLine } from '../../packages/telemetry/src/journal/lines.ts';
import type { TestRelay, TestRelayOptions } from '../support/relay.ts';
import { relayOf } from '../visitor_mails/stage.ts';

export const slow = 30_000;

export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'relay-journal-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

interface JournalOptions extends Omit<TestRelayOptions, 'config'> {
  /** Where the journal is. */
  readonly in: string;
  /** Keys at the top, and of the form; a line each. */
  readonly top?: string;
  readonly keys?: string;
  readonly outputs: string;
}

export const relayWith = ({
  in: place,
  top = '',
  keys = '',
  outputs,
  ...options
}: JournalOptions): Promise<TestRelay> =>
  relayOf({
    ...options,
    config: `
journal: {in: "${place}"}
${top}
forms:
  contact:
    fields: [{name: name}, {name: text}, {name: cv, type: file}]
    ${keys}
    outputs: [${outputs}]
`,
    env: { FORM_TOKEN_SECRET: 'a secret that is long enough', ...options.env },
  });

export async function textIn(path: string): Promise<string> {
  const names = (await readdir(path)).filter((name) => name.endsWith('.jsonl')).sort();
  return (await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')))).join('');
}

export const linesOf = (text: string): readonly JournalLine[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

export const linesIn = async (path: string): Promise<readonly JournalLine[]> => linesOf(await textIn(path));
