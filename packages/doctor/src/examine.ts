/** The doctor: runs `probe` of each output and of each check, and reports what they find. */
import { Resolver as NodeResolver } from 'node:dns/promises';
import { ClientError, PluginMistake, stackOf } from '@form-relay/base/client_error';
import { checkedFindings, type Finding, failure, groupBy, places, probeEach } from '@form-relay/base/finding';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Check, CheckContext, Resolver } from '@form-relay/core/command';
import { outputsOf, type PlacedOutput } from '@form-relay/core/config';
import { boundHttp } from '@form-relay/core/http/bound_http';
import type { Protocol } from '@form-relay/core/outputs/delivery';
import type { FormOutput } from '@form-relay/core/outputs/output';
import { formatPath } from '@form-relay/yaml/problem';
import { probeConfig, probeEnvironment, unsetVariables } from './own_checks.ts';
import type { Setup } from './setup.ts';

export interface Examination {
  readonly title: string;
  readonly findings: readonly (Finding & { readonly subject: string })[];
}

/** The counts of all levels, and each finding, as JSON has them. */
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
  /** Whether archives and stores are tested by writing to them. */
  readonly writes: boolean;
  /** Default: the DNS of this machine. */
  readonly resolver?: Resolver;
}

/** For one check, in milliseconds. */
const limitMs = 10_000;

/** For one conversation with another server. */
const callMs = 8_000;

/**
 * Runs all checks at once and sends no submission. A check that crashes or hangs fails by itself. Checks of one name share a
 * heading; those with nothing to look at are left out.
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
  // Questions that were given up must not keep the process alive.
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

/** Reports equal findings once, and the places of those that are not ok. */
const merged = <F extends Finding>(findings: readonly F[]): readonly F[] =>
  groupBy(findings, ({ places: _, ...rest }) => JSON.stringify(rest)).map((same) => {
    const [first] = same;
    const all = [...new Set(same.flatMap(({ places = [] }) => places))].map((place) => ({ place }));
    return first.level === 'ok' || all.length === 0
      ? first
      : { ...first, says: `${first.says} (${places(all)})` };
  });

/** @param owner Whose bug it is if the check throws. */
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
