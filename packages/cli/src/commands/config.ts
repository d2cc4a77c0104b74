import { relative, resolve, sep } from 'node:path';
import { colour, count } from '@form-relay/base/terminal';
import {
  type Command,
  CommandFailed,
  command,
  configPath,
  flag,
  needed,
  option,
} from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import type { Plugin } from '@form-relay/core/plugin';
import { unloadedCode } from '@form-relay/plugin-host/plugin_list';
import { loadedPlugins, tryWith } from '@form-relay/runtimes/config_file';
import { configSchemaText, inspectConfig } from '@form-relay/runtimes/inspect';
import { textSchema } from '@form-relay/schema/scalars';
import { neededIn, weaknessOf } from '@form-relay/schema/variables';
import { excerpt, type Problem, showProblems } from '@form-relay/yaml/problem';

type FormatName = 'text' | 'json' | 'github';
const platformName = textSchema(() => 'cloudflare' as const);
const formatName = textSchema((text) => text as FormatName);

const validate = command({
  name: 'validate',
  summary: 'print "ok" or all problems',
  description: 'parse the config and print "ok" or all problems with it',
  options: {
    format: needed(
      'format',
      'text, json, or github: annotations for a pull request, where warnings are errors',
      formatName,
      {
        choices: ['text', 'json', 'github'],
        fallback: 'text',
      },
    ),
    for: option('platform', 'also report what this platform does not support', platformName, {
      choices: ['cloudflare'],
    }),
    json: flag('the same as --format json', { conflicts: ['format'] }),
    strict: flag('treat warnings as errors'),
  },
  examples: [
    ['relay config validate', 'exit code 1 if the config does not load'],
    ['relay config validate --for cloudflare', 'before wrangler deploy'],
    ['relay config validate --json', 'for other programs'],
    ['relay config validate --no-plugins --strict', 'in CI, without running code from a pull request'],
    ['relay config validate --no-plugins --format github', 'the same for a GitHub workflow'],
  ],
  run: (options, { configOption }) => reportProblems(options, configOption),
});

const schema = command({
  name: 'schema',
  summary: 'print the JSON Schema of the config',
  description:
    'print the JSON Schema of the config, for editors that complete and check it; with --config, including its plug-ins',
  examples: [['relay config schema > webform.schema.json', 'the file that configs from relay init refer to']],
  run: async (_, { configOption, print }) =>
    print(await configSchemaText(configOption === undefined ? undefined : await loadedPlugins(configOption))),
});

const config: Command = { name: 'config', summary: 'check the config', commands: [validate, schema] };

export const plugin: Plugin = { name: 'config', commands: [config] };

interface ReportOptions {
  readonly format: FormatName;
  /** The same as the format `json`. */
  readonly json: true | undefined;
  /** Treats warnings as errors, except those about plug-ins that are not loaded. Always set for the format `github`. */
  readonly strict: true | undefined;
  /** The platform that the config is for. Default: a Node.js process. */
  readonly for: 'cloudflare' | undefined;
}

/** Reports whether the config loads, and all of its problems. Warnings change the exit code only with `strict`. */
async function reportProblems(
  { format, json, strict: isStrict, for: platform }: ReportOptions,
  config: string | undefined,
): Promise<void> {
  const strict = isStrict ?? format === 'github';
  const checkPlatform =
    platform && (await import('@form-relay/runtimes/cloudflare/unsupported')).unsupportedOnCloudflare;
  let text = '';
  const loaded = await tryWith(config, (read, source) => {
    text = read;
    return inspectConfig(read, source, { checkPlatform });
  });
  const found = loaded.ok ? [...(await loaded.value.warnings()), ...weakSecret(loaded.value)] : loaded.error;
  const shown = process.stderr.isTTY ? withLines(found, text, configPath(config, process.env)) : found;
  const here = platform ? shown.filter(({ code }) => code !== 'store_of_platform') : shown;
  const problems = strict ? here.map(asError) : here;
  // A client whose config is broken must not stop the others.
  const ok = loaded.ok && problems.every(({ severity }) => severity !== 'error');
  if (!ok) process.exitCode = 1;
  const report = { text: asText, json: asJson, github: asAnnotations }[json ? 'json' : format];
  report(ok, problems);
}

const asError = (problem: Problem): Problem =>
  problem.code === unloadedCode ? problem : { ...problem, severity: 'error' };

/** Warns about a weak secret in this environment. The server may have another, which its log and `relay doctor` check. */
function weakSecret(config: Config): readonly Problem[] {
  const name = 'FORM_TOKEN_SECRET';
  const weakness = process.env[name] ? weaknessOf(process.env[name]) : undefined;
  const isNeeded = neededIn(config).some((one) => one.name === name);
  if (weakness === undefined || !isNeeded) return [];
  const place = { file: name, line: 1, column: 1, path: '' };
  return [{ ...place, code: 'weak_token_secret', severity: 'warning', message: weakness, excerpt: '' }];
}

/** If a config is not valid YAML, the line may contain a secret, so only the owner's own terminal shows it. */
function withLines(problems: readonly Problem[], text: string, config: string): readonly Problem[] {
  const lines = text.split(/\r?\n/);
  return problems.map((problem) => {
    const { file, line: lineNumber, column } = problem;
    if (problem.excerpt !== '' || file !== config || text === '') return problem;
    const spot = { line: lines[lineNumber - 1] ?? '', lineNumber, start: 0, column: column - 1 };
    return { ...problem, excerpt: excerpt(spot, 1) };
  });
}

type Report = (ok: boolean, problems: readonly Problem[]) => void;

/** Prints `ok` on stdout, or how many mail outputs still have an example address, and the problems on stderr. */
const asText: Report = (ok, problems) => {
  if (!ok) throw new CommandFailed(showProblems(problems, process.stderr));
  if (problems.length > 0) process.stderr.write(`${showProblems(problems, process.stderr)}\n`);
  const examples = problems.filter(({ code }) => code === 'mail_address_reserved').length;
  const end =
    examples === 0
      ? colour('green', 'ok', process.stdout)
      : colour(
          'yellow',
          `the config loads, but ${count(examples, 'output')} still ${examples === 1 ? 'has' : 'have'} an example value`,
          process.stdout,
        );
  process.stdout.write(`${end}\n`);
};

/** Prints a JSON object on stdout, without excerpts and suggestions, because its reader has the file. */
const asJson: Report = (ok, problems) => {
  const shown = problems.map(({ excerpt, meant, ...problem }) => problem);
  process.stdout.write(`${JSON.stringify({ ok, problems: shown }, null, 2)}\n`);
};

/** Prints GitHub's workflow commands, which show each problem at its line of a pull request. */
const asAnnotations: Report = (ok, problems) => {
  // GitHub requires paths relative to the repository's root.
  const root = process.env.GITHUB_WORKSPACE || '.';
  for (const { severity, file, line, column, path, message } of problems) {
    const place = `file=${property(relative(root, resolve(file)).replaceAll(sep, '/'))},line=${line},col=${column}`;
    process.stdout.write(`::${severity} ${place}::${data(path === '' ? message : `${path}: ${message}`)}\n`);
  }
  if (ok) process.stdout.write('ok\n');
};

const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
