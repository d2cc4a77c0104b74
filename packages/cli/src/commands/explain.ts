import { basename } from 'node:path';
import type { ConfigSource } from '@form-relay/config/source';
import {
  type CommandContext,
  CommandFailed,
  command,
  findForm,
  flag,
  needed,
  option,
  repeated,
} from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import type { Plugin } from '@form-relay/core/plugin';
import { type Body, type ExplainRequest, explain, urlencoded } from '@form-relay/dry-run/explain';
import type { SubmissionReport } from '@form-relay/dry-run/report';
import { showReport } from '@form-relay/dry-run/show_report';
import { learnedWords } from '@form-relay/learning/train';
import { loadConfig } from '@form-relay/runtimes/config_file';
import { inspectConfig } from '@form-relay/runtimes/inspect';
import { anyText, fileName, type Pair, pair, textSchema } from '@form-relay/schema/scalars';
import type {} from '@form-relay/senders/keys/index';
import { keyProblems } from '@form-relay/senders/keys/sender';
import type {} from '@form-relay/spam/page/index';

/** A variable that `keys_env` may name. */
const variableName = textSchema((name, at) =>
  /^[A-Za-z_]\w*$/.test(name) ? name : at.error('Expected the name of a variable.'),
);

const pageUrl = textSchema((text, at) =>
  /^https?:\/\/./.test(text) ? text : at.error('Expected https://…'),
);

const explainCommand = command({
  name: 'explain',
  summary: 'show what would happen to a submission; sends nothing',
  description:
    'show what would happen to a submission, with the bytes that each output would send; sends nothing',
  arguments: {
    form: needed('form', 'the name of the form', anyText),
    values: repeated(
      'key=value',
      'a value that a visitor fills in',
      pair('key=value, such as email=ada@example.org'),
    ),
  },
  options: {
    body: option(
      'file',
      'a file with the whole body instead, urlencoded as browsers send it, or JSON; - for stdin',
      fileName,
    ),
    file: repeated(
      'field=path',
      'a file that the visitor chooses; may be repeated',
      pair('field=path, such as cv=cv.pdf'),
    ),
    page: option('url', 'address of the page with the form, for a form with page: true', pageUrl),
    key: option(
      'variable',
      'send as a server, with the key in this variable, which keys_env lists',
      variableName,
    ),
    json: flag('print the report as JSON'),
  },
  notes:
    'With key=value, the command adds what a browser adds: the tokens of min_fill and\ncaptcha, and the solution of a proof of work.\nExit code: 0 if the submission would be delivered, 1 if not.',
  examples: [
    [
      'relay explain contact name=Ada email=ada@example.org message=Hello',
      'the request or mail of each output',
    ],
  ],
  run: ({ form, values = [], ...options }, context) => {
    const given = values.length > 0 ? 'key=value' : options.file ? "'--file'" : options.page && "'--page'";
    if (given && options.body !== undefined)
      throw context.misuse(`use either ${given} or '--body', not both`);
    return explainSubmission(form, values, options, context);
  },
});

export const plugin: Plugin = { name: 'explain', commands: [explainCommand] };

interface ExplainOptions {
  /** A file with the body as a browser or a script sends it, or `-` for stdin. */
  readonly body: string | undefined;
  /** `field=path`, in the order given. */
  readonly file: readonly Pair[] | undefined;
  /** The URL of the page that sends the form. */
  readonly page: string | undefined;
  /** The variable with the key of the server that sends the form. */
  readonly key: string | undefined;
  readonly json: true | undefined;
}

/**
 * Shows what a submission would lead to: the checks, and the payloads and bytes that each output would send.
 * Sends nothing. The exit code is 0 if the submission would be delivered, 1 otherwise.
 */
async function explainSubmission(
  name: string,
  pairs: readonly Pair[],
  { body, file = [], page, key, json }: ExplainOptions,
  { configOption, read }: CommandContext,
): Promise<void> {
  let source: ConfigSource | undefined;
  const config = await loadConfig(configOption, (text, file) => {
    source = file;
    return inspectConfig(text, file);
  });
  const form = findForm(config, name);
  if (page !== undefined && !form.provided.get('page')) {
    throw new CommandFailed(`"${name}" does not record its page; add page: true to the form`);
  }
  const problem = key === undefined ? undefined : keyProblem(form, key);
  if (problem !== undefined) throw new CommandFailed(problem);
  const files = file.map(async ([field, path]) => ({
    field,
    name: basename(path),
    bytes: await read(path),
  }));
  const request: ExplainRequest = {
    pairs,
    files: await Promise.all(files),
    page,
    key,
    body: body === undefined ? undefined : bodyOf(await read(body)),
  };
  const { report, confirmed } = await explain(name, request, { source });
  const all = { ...report, ...wordsIn(form, report), ...(confirmed && { confirmed }) };
  process.stdout.write(
    json ? `${JSON.stringify(all, null, 2)}\n` : showReport(all, process.stdout, confirmed),
  );
  if ((confirmed ?? report).outcome !== 'delivered') process.exitCode = 1;
}

/** The words that count for or against it, if the form's signals use a model. These words must never be logged. */
function wordsIn(form: Form, { checks, values }: SubmissionReport) {
  const isLearned = checks.some(({ signals }) => signals?.some(({ signal }) => signal === 'learned'));
  const words = isLearned && learnedWords(form, new Map(values), { env: (name) => process.env[name] });
  return words ? { words } : {};
}

/** Why the relay would refuse the key in this variable; `undefined` if the key is accepted. */
export function keyProblem(form: Form, key: string): string | undefined {
  const { names = [] } = form.provided.get('keys') ?? {};
  if (names.includes(key)) {
    const [problem] = keyProblems([key], (name) => process.env[name]);
    return problem && `${key} ${problem.reason}: the relay answers 401. Create a key with relay keys new`;
  }
  const known = names.length > 0 ? `the keys are ${names.join(', ')}` : 'the form has no keys_env';
  return `"${form.id}" has no key ${key}: ${known}`;
}

function bodyOf(bytes: Buffer): Body {
  // Editors end a file with a line break, but no body ends with one. The relay itself refuses text that is not UTF-8.
  const text = bytes.toString('latin1').replace(/\r?\n$/, '');
  // Browsers encode braces and brackets. The relay itself refuses JSON that is not an object.
  const isJson = /^\s*[{[]/.test(text);
  return { type: isJson ? 'application/json' : urlencoded, body: Buffer.from(text, 'latin1') };
}
