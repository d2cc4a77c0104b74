import { ClientError, PluginMistake, stackOf } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Check, CheckContext, Finding } from '@form-relay/core/command';
import { boundHttp } from '@form-relay/core/http/bound_http';
import { type Diagnosis, failure } from '@form-relay/mail-dns';
import { examineConfig, examineUploads } from './config_loads.ts';
import type { DoctorContext } from './context.ts';
import { examineCounting } from './counting.ts';
import { examineEnvironment } from './environment.ts';
import type { Examine } from './examination.ts';
import { examineKeeping } from './keeping.ts';
import { examineMailDns } from './mail_dns.ts';
import { examineRecipients } from './recipients.ts';
import { examineCaptchas, examineSigningSecrets } from './secrets.ts';
import { examineMailLogins, examineOthers, examineServers } from './servers.ts';
import { examineSesSigning } from './ses_signing.ts';
import type { Setup } from './setup.ts';

/** The counts of all verdicts, and each diagnosis. */
export function reportOf(examinations: readonly Examination[]) {
  const diagnoses = examinations.flatMap(({ title, diagnoses }) =>
    diagnoses.map((diagnosis) => ({ examination: title, ...diagnosis })),
  );
  return { ...countsOf(examinations), diagnoses };
}

export function countsOf(examinations: readonly Examination[]) {
  const verdicts = examinations.flatMap(({ diagnoses }) => diagnoses.map(({ verdict }) => verdict));
  const countOf = (wanted: Diagnosis['verdict']) => verdicts.filter((verdict) => verdict === wanted).length;
  return { ok: countOf('ok'), warnings: countOf('warning'), failures: countOf('failure') };
}

const both =
  (one: Examine, other: Examine): Examine =>
  async (setup, context) =>
    (await Promise.all([one(setup, context), other(setup, context)])).flat();

/** The relay's own checks, in the order of the report. The checks of plug-ins follow. */
const examinations: readonly (readonly [title: string, Examine])[] = [
  ['Config', examineConfig],
  ['Environment', examineEnvironment],
  ['Files', examineUploads],
  ['Captchas', examineCaptchas],
  ['HTTP outputs', examineServers('http')],
  ['Signing secrets', examineSigningSecrets],
  ['SMTP servers', both(examineMailLogins, examineServers('smtp'))],
  ['Amazon SES', examineServers('ses')],
  ['Archives', both(examineServers('folder'), examineServers('s3'))],
  ['Other outputs', examineOthers],
  ['Kept deliveries', examineKeeping],
  ['Places', examineCounting],
  ['Senders: SPF, DKIM and DMARC', both(examineSesSigning, examineMailDns)],
  ['Recipients', examineRecipients],
];

export interface Examination {
  readonly title: string;
  readonly diagnoses: readonly Diagnosis[];
}

/** For one examination, in milliseconds. */
const limitMs = 10_000;

/**
 * Runs all checks at once and sends no submission. A check that crashes or hangs fails by itself.
 * Checks with nothing to look at are left out.
 */
export async function examine(setup: Setup, context: DoctorContext): Promise<readonly Examination[]> {
  const own = examinations.map(([title, look]) => probed(title, 'the relay', () => look(setup, context)));
  const ofPlugins = (setup.loaded?.registry.plugins ?? []).flatMap(({ name, checks = [] }) =>
    checks.map((check) => probed(check.name, `the plug-in "${name}"`, () => probe(check, setup, context))),
  );
  const done = await Promise.all([...own, ...ofPlugins]);
  return done.filter(({ diagnoses }) => diagnoses.length > 0);
}

/** @param owner Whose bug it is if the check throws. */
async function probed(
  title: string,
  owner: string,
  look: () => Promise<readonly Diagnosis[]>,
): Promise<Examination> {
  const broken = (error: unknown): readonly Diagnosis[] => {
    if (error instanceof ClientError) return [{ subject: title, verdict: 'failure', says: error.message }];
    const trace = error instanceof PluginMistake ? [error.message] : stackOf(error);
    return [failure(title, `this examination crashed, which is a bug in ${owner}`, trace.join('\n'))];
  };
  const late = () => [failure(title, `not done within ${limitMs / 1000} s`, again)];
  const looking = Promise.resolve().then(look).catch(broken);
  return { title, diagnoses: await withTimeout(limitMs, looking, late) };
}

async function probe(check: Check, setup: Setup, context: DoctorContext): Promise<readonly Diagnosis[]> {
  const signal = AbortSignal.timeout(limitMs);
  const given: CheckContext = {
    config: setup.loaded,
    env: context.env,
    http: boundHttp({
      services: { ...context, env: (name) => context.env[name] },
      signal,
      timeoutMs: limitMs,
    }),
    now: context.now,
    writes: context.writes,
    signal,
  };
  const found = await check.probe(given);
  if (!Array.isArray(found)) throw new PluginMistake(`probe returned no list; expected ${expected}`);
  return found.map((one) => diagnosisOf(check.name, one));
}

const expected = "[{ level: 'ok', says: 'has a token' }]; the other levels are warning and failure";

function diagnosisOf(name: string, { level, subject = name, says, remedy }: Finding): Diagnosis {
  if (!/^(ok|warning|failure)$/.test(level) || typeof says !== 'string')
    throw new PluginMistake(`probe returned ${JSON.stringify({ level, says })}; expected ${expected}`);
  return { subject, verdict: level, says, ...(remedy !== undefined && { remedy }) };
}

const again = 'Run relay doctor again. If it stays like this, check the network of this machine.';
