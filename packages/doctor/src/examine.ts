import { stackOf } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import { type Diagnosis, failure } from '@form-relay/mail-dns';
import { examineCaptchas } from './captcha_secrets.ts';
import { examineConfig } from './config_loads.ts';
import type { DoctorContext } from './context.ts';
import { examineCounting } from './counting.ts';
import { examineEnvironment } from './environment.ts';
import type { Examine } from './examination.ts';
import { examineKeeping } from './keeping.ts';
import { examineMailDns } from './mail_dns.ts';
import { examineMailLogins } from './mail_logins.ts';
import { examineRecipients } from './recipients.ts';
import { examineOthers, examineServers } from './servers.ts';
import { examineSesSigning } from './ses_signing.ts';
import type { Setup } from './setup.ts';
import { examineSigningSecrets } from './signing_secrets.ts';
import { examineUploads } from './uploads.ts';

const both =
  (one: Examine, other: Examine): Examine =>
  async (setup, context) =>
    (await Promise.all([one(setup, context), other(setup, context)])).flat();

/** Every examination, in the order of the report. */
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
 * Runs all examinations at once and sends no submission. One that crashes or hangs fails alone. Those that have nothing
 * to look at are left out.
 */
export async function examine(setup: Setup, context: DoctorContext): Promise<readonly Examination[]> {
  const done = await Promise.all(
    examinations.map(async ([title, look]) => ({
      title,
      diagnoses: await withTimeout(limitMs, look(setup, context).catch(broken(title)), () => [
        failure(title, `not done within ${limitMs / 1000} s`, again),
      ]),
    })),
  );
  return done.filter(({ diagnoses }) => diagnoses.length > 0);
}

const broken = (title: string) => (error: unknown) => [
  failure(title, 'this examination crashed, which is a bug in the relay', stackOf(error).join('\n')),
];

const again = 'Run relay doctor again. If it stays like this, check the network of this machine.';
