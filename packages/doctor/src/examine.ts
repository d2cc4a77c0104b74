/** The doctor runs the `probe` of each output and each check, and reports their findings. */
import { Resolver as NodeResolver } from 'node:dns/promises';
import { ClientError, PluginMistake, stackOf } from '@form-relay/base/client_error';
import {
  checkedFindings,
  type Finding,
  failure,
  firstOf,
  groupBy,
  makeSecret,
  ok,
  places,
  probeEach,
  secretSet,
  warning,
} from '@form-relay/base/finding';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Check, CheckContext, Resolver } from '@form-relay/core/command';
import { outputsOf, type PlacedOutput } from '@form-relay/core/config';
import { boundHttp } from '@form-relay/core/http/bound_http';
import type { Protocol } from '@form-relay/core/outputs/delivery';
import type { FormOutput } from '@form-relay/core/outputs/output';
import { hasRecipients } from '@form-relay/core/outputs/recipients';
import type { Environment } from '@form-relay/core/settings';
import type { Setup } from '@form-relay/runtimes/inspect';
import { Diagnostics, type PlacedTemplate, Report } from '@form-relay/schema/diagnostics';
import { neededIn, type SettingProblem, weaknessOf } from '@form-relay/schema/variables';
import { readConfigText } from '@form-relay/yaml/config_text';
import { formatPath, type Problem } from '@form-relay/yaml/problem';

export interface Examination {
  readonly title: string;
  readonly findings: readonly (Finding & { readonly subject: string })[];
}

/** The numbers of findings by level, and each finding, for JSON output. */
export function reportOf(examinations: readonly Examination[]) {
  const diagnoses = examinations.flatMap(({ title, findings }) =>
    findings.map(({ level, subject, says, remedy, record }) => ({
      examination: title,
      subject,
      verdict: level,
      says,
      remedy,
      record,
    })),
  );
  return { ...countsOf(examinations), diagnoses };
}

export function countsOf(examinations: readonly Examination[]) {
  const levels = examinations.flatMap(({ findings }) => findings.map(({ level }) => level));
  const countOf = (wanted: Finding['level']) => levels.filter((level) => level === wanted).length;
  return { ok: countOf('ok'), warnings: countOf('warning'), failures: countOf('failure') };
}

export interface DoctorOptions {
  /** Whether to test archives and stores by writing to them. */
  readonly writes: boolean;
  /** Default: the machine's DNS. */
  readonly resolver?: Resolver;
}

/** The time limit of a check, in milliseconds. */
const limitMs = 10_000;

/** The time limit of a conversation with another server. */
const callMs = 8_000;

/**
 * Runs all checks at once without sending a submission. If a check crashes or hangs, only that check fails.
 * Checks with the same name share a heading, and checks with nothing to examine are left out.
 */
export async function examine(
  setup: Setup,
  { writes, resolver }: DoctorOptions,
): Promise<readonly Examination[]> {
  const { services, settings, env, loaded: config } = setup;
  const own = new NodeResolver({ timeout: 2_000, tries: 2 });
  const open = (): CheckContext => {
    const { now } = services;
    const signal = AbortSignal.timeout(limitMs);
    const http = boundHttp({ services, signal, timeoutMs: limitMs });
    return { config, env, settings, services, http, resolver: resolver ?? own, now, writes, signal };
  };
  const checks = [
    ...ownChecks(setup).map((check) => ({ check, owner: 'the relay' })),
    ...(config?.registry.plugins ?? []).flatMap(({ name, checks = [] }) => {
      const owner = config?.namedPlugins.includes(name) ? `the plug-in "${name}"` : 'the relay';
      return checks.map((check) => ({ check, owner }));
    }),
  ];
  const done = await Promise.all(
    checks.map(async ({ check, owner }) => ({
      title: check.name,
      findings: await probed(check, owner, open()),
    })),
  );
  // Abandoned DNS queries must not keep the process alive.
  own.cancel();
  const reported = done.flatMap(({ findings }) => findings.map(({ subject }) => subject));
  const unset = { title: 'Environment', findings: unsetVariables(setup, reported) };
  return groupBy([...done, unset], ({ title }) => title)
    .map((same) => ({
      title: same[0].title,
      findings: merged(
        same.flatMap(({ title, findings }) => findings.map((one) => ({ subject: title, ...one }))),
      ),
    }))
    .filter(({ findings }) => findings.length > 0);
}

/** Merges equal findings, and lists the places of those that are not ok. */
const merged = <F extends Finding>(findings: readonly F[]): readonly F[] =>
  groupBy(findings, ({ places: _, ...rest }) => JSON.stringify(rest)).map((same) => {
    const [first] = same;
    const all = [...new Set(same.flatMap(({ places = [] }) => places))].map((place) => ({ place }));
    return first.level === 'ok' || all.length === 0
      ? first
      : { ...first, says: `${first.says} (${places(all)})` };
  });

/** @param owner Who has to fix the bug if the check throws. */
async function probed(check: Check, owner: string, context: CheckContext): Promise<readonly Finding[]> {
  const { name } = check;
  const broken = (error: unknown): readonly Finding[] => {
    if (error instanceof ClientError) return [{ level: 'failure', says: error.message }];
    const trace = error instanceof PluginMistake ? [error.message] : stackOf(error);
    return [failure(name, `this check threw, which is a bug in ${owner}`, trace.join('\n'))];
  };
  const late = () => [failure(name, `not done within ${limitMs / 1000} s`, again)];
  const probing = (async () => checkedFindings(await check.probe(context)))().catch(broken);
  return withTimeout(limitMs, probing, late);
}

const again = "Run relay doctor again. If the problem remains, check this machine's network.";

const ownChecks = (setup: Setup): readonly Check[] => [
  { name: 'Config', probe: () => probeConfig(setup) },
  { name: 'Environment', probe: ({ env }) => probeEnvironment(setup, env) },
  ...outputChecks(setup.loaded ? outputsOf(setup.loaded) : []),
];

const headings: Readonly<Record<Protocol, string>> = {
  http: 'HTTP outputs',
  smtp: 'SMTP servers',
  ses: 'Amazon SES',
  folder: 'Archives',
  s3: 'Archives',
};

const otherOutputs = 'Other outputs';

const headingOf = ({ transport }: FormOutput): string =>
  transport?.protocol ? headings[transport.protocol] : otherOutputs;

const outputChecks = (all: readonly PlacedOutput[]): readonly Check[] =>
  [...new Set([...Object.values(headings), otherOutputs])].map((name) => ({
    name,
    probe: ({ signal, writes }) =>
      probeEach(all.filter(({ output }) => headingOf(output) === name).flatMap(probeOf), {
        signal,
        timeoutMs: callMs,
        writes,
      }),
  }));

function probeOf({ output: { type, transport }, path }: PlacedOutput) {
  if (!transport?.probe) return [];
  const { target: subject = type, probe } = transport;
  const remedy = `See the documentation of the output type ${type}.`;
  return [{ place: formatPath(path), subject, remedy, probe }];
}

/** Examines the config that `relay serve` would use here: whether it can be read, loads, and has warnings. */
async function probeConfig({ config: { source, parsed } }: Setup): Promise<readonly Finding[]> {
  if (!parsed.ok) {
    return [
      failure(
        source,
        parsed.error,
        source.startsWith('s3://')
          ? 'Check CONFIG_BUCKET, CONFIG_KEY, the region and the credentials.'
          : 'Set the location of the config (--config, CONFIG_FILE, CONFIG_INLINE or CONFIG_BUCKET), or create one with relay init.',
      ),
    ];
  }
  const config = parsed.value;
  if (!config.ok) return config.error.map(findingOf);
  const { forms, namedPlugins } = config.value;
  const outputs = [...forms.values()].reduce((sum, form) => sum + form.outputs.length, 0);
  const warnings = await config.value.warnings();
  const ofPlugins = namedPlugins.length > 0 ? `; plug-ins: ${namedPlugins.join(', ')}` : '';
  return [
    ok(source, `loads, with ${count(forms.size, 'form')} and ${count(outputs, 'output')}${ofPlugins}`),
    // The check of the store reports this.
    ...warnings.filter((one) => one.code !== 'store_of_cloudflare').map(findingOf),
  ];
}

/** Shows a problem as `relay config validate` does. The message says how to fix it. */
function findingOf({ code, severity, file, line, column, path, message, excerpt }: Problem): Finding {
  // An output of an unknown type loads, but every submission would get a 500.
  const level = severity === 'error' || code === 'output_type_unknown' ? 'failure' : 'warning';
  return {
    level,
    subject: `${file}:${line}:${column}`,
    says: `${path && `${path}: `}${message}\n${excerpt}`,
  };
}

const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;

/** Reports invalid settings, the secret of tokens, and variables that templates name. Features report on their own variables. */
async function probeEnvironment(setup: Setup, env: Environment): Promise<readonly Finding[]> {
  return [
    ...setup.settingProblems.map(malformed),
    ...tokenSecret(setup),
    ...groupBy(await usesIn(setup), ({ name }) => name).map((used) => variable(used, env)),
  ];
}

const malformed = ({ name, expected }: SettingProblem): Finding =>
  failure(name, expected, 'Correct or unset it: the relay cannot start with this value.');

function tokenSecret({ loaded, settings: { formTokenSecret: secret } }: Setup): readonly Finding[] {
  const name = 'FORM_TOKEN_SECRET';
  if (!loaded) return [];
  const paths = neededIn(loaded)
    .filter((one) => one.name === name)
    .map(({ path }) => path);
  if (paths.length === 0) return [];
  const ids = paths.flatMap(([top, id]) => (top === 'forms' ? [String(id)] : [...loaded.forms.keys()]));
  const users = [...new Set(ids)].map((id) => ({ id }));
  if (secret === '') {
    const keys = paths.map((path) => formatPath(path[0] === 'forms' ? path.slice(2) : path));
    const use = users.length > 1 ? 'use' : 'uses';
    const says = `not set; ${firstOf(users)} ${use} ${[...new Set(keys)].join(' or ')}, so every submission is answered with 500`;
    return [failure(name, says, makeSecret)];
  }
  const signsTokens = [...loaded.forms.values()].some(({ provided }) => provided.get('form_token'));
  const use = `${signsTokens ? 'signs the tokens' : 'seals the links'} of ${firstOf(users)}`;
  return [secretSet(name, weaknessOf(secret), use)];
}

/** Required variables that are unset and that no check reports. */
const unsetVariables = ({ loaded, env }: Setup, reported: readonly (string | undefined)[]) =>
  groupBy(loaded ? neededIn(loaded) : [], ({ name }) => name)
    .filter(([{ name }]) => !reported.includes(name) && !(Object.hasOwn(env, name) && env[name]))
    .map((uses) => {
      const placed = uses.map(({ path }) => ({ place: formatPath(path) }));
      const says = `not set; ${places(placed)} ${placed.length > 1 ? 'need' : 'needs'} it`;
      return failure(uses[0].name, says, 'Set it where the relay runs: without it, /readyz answers 503.');
    });

interface Use {
  readonly name: string;
  readonly place: string;
  /** Whether a `default` replaces an empty value. */
  readonly hasDefault: boolean;
  /** Whether it makes a mail's recipients invalid. */
  readonly isNoAddress?: boolean;
}

async function usesIn(setup: Setup): Promise<readonly Use[]> {
  const templates = await templatesOf(setup);
  const recipients = (setup.loaded ? outputsOf(setup.loaded) : [])
    .filter(({ output: { transport } }) => /^(smtp|ses)$/.test(transport?.protocol ?? ''))
    .flatMap(({ path }) => ['to', 'cc', 'bcc'].map((key) => formatPath([...path, key])));
  const isOfOutput = ({ path }: PlacedTemplate) => path.includes('outputs') || path.includes('through');
  const inOrder = [...templates.filter((one) => !isOfOutput(one)), ...templates.filter(isOfOutput)];
  const uses = inOrder.flatMap(({ path, template }) =>
    [...template.envNames].map((name) => ({
      name,
      place: formatPath(path),
      hasDefault: !template.neededEnvNames.has(name),
      isNoAddress: recipients.includes(formatPath(path)) && !hasRecipients(template, setup.services.env),
    })),
  );
  const ofPlugins = (setup.loaded?.env ?? [])
    .filter(({ path: [top] }) => top === 'plugins')
    .map(({ name, path, isNeeded }) => ({ name, place: formatPath(path), hasDefault: !isNeeded }));
  return groupBy([...uses, ...ofPlugins], (use) => JSON.stringify(use)).map(([first]) => first);
}

/** All templates of a config that loads. Other forms, such as those of alerts, compile their own. */
async function templatesOf({ config, loaded }: Setup): Promise<readonly PlacedTemplate[]> {
  if (!loaded || !config.text.ok) return [];
  const read = await readConfigText(config.text.value);
  if (!read.ok) return [];
  const texts = { templates: [] as PlacedTemplate[], forVisitors: [] };
  loaded.registry.config(read.value.value, new Diagnostics([], new Report(read.value.value, texts)));
  const inFurther = outputsOf(loaded)
    .filter(({ path: [top] }) => top !== 'forms')
    .flatMap(({ output, path }) => output.templates.map((one) => ({ ...one, path: [...path, ...one.path] })));
  return [...texts.templates, ...inFurther];
}

function variable(used: readonly [Use, ...Use[]], env: Environment): Finding {
  const [{ name }] = used;
  const value = (Object.hasOwn(env, name) && env[name]) || '';
  if (value === '') {
    const bare = used.filter((use) => !use.hasDefault);
    return bare.length > 0
      ? failure(
          name,
          `not set; ${places(bare)} ${bare.length > 1 ? 'are' : 'is'} empty without it`,
          'Set it where the relay runs.',
        )
      : warning(
          name,
          `not set; ${places(used)} ${used.length > 1 ? 'fall back to their defaults' : 'falls back to its default'}`,
          'Set it, or leave it unset to use the default.',
        );
  }
  const invalid = used.filter((use) => use.isNoAddress);
  const says = `set, but ${places(invalid)} has no valid address`;
  if (invalid.length > 0) return failure(name, says, 'Set it to addresses, separated by commas.');
  if (value !== value.trim()) {
    const remedy =
      'Remove the white space unless it is intended: values read from a file often end with a line break.';
    return warning(name, 'set; its value starts or ends with white space', remedy);
  }
  return ok(name, `set, for ${places(used)}`);
}
