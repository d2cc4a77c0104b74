import { basename } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import type { ConfigSource } from '@form-relay/config/source';
import type { Form } from '@form-relay/core/form';
import { type Body, type ExplainRequest, explain, urlencoded } from '@form-relay/dry-run/explain';
import type { SubmissionReport } from '@form-relay/dry-run/report';
import { learnedWords } from '@form-relay/learning/learned_words';
import { inspectConfig } from '@form-relay/runtimes/inspect';
import type {} from '@form-relay/senders/keys/index';
import { keyProblems } from '@form-relay/senders/keys/sender';
import type {} from '@form-relay/spam/page/index';
import { CommandFailed } from './command_failed.ts';
import { findForm, loadConfig, readBytes } from './load_config.ts';
import { showReport } from './show_report.ts';
import type { GlobalOptions, Pairs } from './usage.ts';

export interface ExplainOptions extends GlobalOptions {
  /** A file with the body as a browser or a script sends it; `-` for stdin. */
  readonly body?: string;
  /** `field=path`, in the order given. */
  readonly file?: Pairs;
  /** The address of the page that it comes from. */
  readonly page?: string;
  /** The variable with the key of a server that sends it. */
  readonly key?: string;
  readonly json?: boolean;
}

/**
 * Tells what a submission would lead to: the checks, the payloads and the bytes that each output would send. Nothing is
 * sent. Exit code 0 when it would be delivered, 1 otherwise.
 */
export async function explainSubmission(
  name: string,
  pairs: Pairs,
  { body, file = [], page, key, json = false, config: configOption }: ExplainOptions,
): Promise<void> {
  let source: ConfigSource | undefined;
  const config = await loadConfig(configOption, (text, file) => {
    source = file;
    return inspectConfig(text, file);
  });
  const form = findForm(config, name);
  if (page !== undefined && !form.provided.get('page')) {
    throw new CommandFailed(`"${name}" does not ask for its page; write page: true beside its fields`);
  }
  const problem = key === undefined ? undefined : keyProblem(form, key);
  if (problem !== undefined) throw new CommandFailed(problem);
  const files = file.map(async ([field, path]) => ({
    field,
    name: basename(path),
    bytes: await readBytes(path),
  }));
  const asked: ExplainRequest = {
    pairs,
    files: await Promise.all(files),
    page,
    key,
    body: body === undefined ? undefined : await readBody(body),
  };
  const { report, confirmed } = await explain(name, asked, { source });
  const all = { ...report, ...wordsIn(form, report), ...(confirmed && { confirmed }) };
  process.stdout.write(
    json ? `${JSON.stringify(all, null, 2)}\n` : showReport(all, process.stdout, confirmed),
  );
  if ((confirmed ?? report).outcome !== 'delivered') process.exitCode = 1;
}

/** The words that speak for or against it, if the form's signals have learned. No log may hold them. */
function wordsIn(form: Form, { checks, values }: SubmissionReport) {
  const isLearned = checks.some(({ signals }) => signals?.some(({ signal }) => signal === 'learned'));
  const words = isLearned && learnedWords(form, new Map(values), { env: (name) => process.env[name] });
  return words ? { words } : {};
}

/** Why the relay would refuse the key in this variable; `undefined` if it takes it. */
export function keyProblem(form: Form, key: string): string | undefined {
  const { names = [] } = form.provided.get('keys') ?? {};
  if (names.includes(key)) {
    const [problem] = keyProblems([key], (name) => process.env[name]);
    return problem && `${key} ${problem.reason}: the relay answers it 401. Make one: relay keys new`;
  }
  const known = names.length > 0 ? `its keys are ${names.join(', ')}` : 'it has no keys_env';
  return `"${form.id}" has no key ${key}: ${known}`;
}

async function readBody(path: string): Promise<Body> {
  const bytes = path === '-' ? await readAll(process.stdin) : await readBytes(path);
  // Editors end a file with a line break; no body ends with one. What is not UTF-8 is the relay's to refuse.
  const text = bytes.toString('latin1').replace(/\r?\n$/, '');
  // Browsers encode braces and brackets. What is JSON, but no object, is the relay's to refuse.
  const isJson = /^\s*[{[]/.test(text);
  return { type: isJson ? 'application/json' : urlencoded, body: Buffer.from(text, 'latin1') };
}
