import { ClientError } from '@form-relay/base/client_error';
import { Try } from '@form-relay/base/retries';
import type { Settings } from '@form-relay/core/settings';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import { accountAt, type MailAccount, secretOf } from '@form-relay/mail-dns/mail_services';
import type { DoctorContext } from './context.ts';
import { type Examine, timeoutMs } from './examination.ts';
import { groupBy, outputsOf, outputsThrough, places, read, renderWithoutFields } from './outputs.ts';
import type { Probe, SmtpTarget, Target } from './probes/connection.ts';
import { createProbes } from './probes/index.ts';

/** Whether the servers that outputs deliver to would take it: each server once. */
export const examineServers =
  (protocol: Target['protocol']): Examine =>
  async (setup, context) => {
    const { mailFromAddress } = setup.settings;
    const probes = createProbes({ ...context, env: (name) => read(context.env, name) }, mailFromAddress);
    const probe = probes[protocol] as Probe<Target>;
    const servers = groupBy(outputsThrough(setup, protocol), ({ target }) => probe.serverOf(target));
    const looks = servers.map(async (outputs) =>
      (await probe.examine(outputs[0].target, timeoutMs)).map((diagnosis) =>
        placed(diagnosis, places(outputs)),
      ),
    );
    return (await Promise.all(looks)).flat();
  };

/** Outputs of plug-ins that test their connections themselves. */
export const examineOthers: Examine = async (setup) => {
  const able = outputsOf(setup).flatMap(({ output, place }) =>
    output?.transport?.probe ? [{ output, transport: output.transport, place }] : [],
  );
  const servers = groupBy(able, ({ output: { type }, transport: { target = '' } }) => `${type}\0${target}`);
  return Promise.all(
    servers.map(async (outputs): Promise<Diagnosis> => {
      const [{ output, transport }] = outputs;
      const subject = transport.target ?? output.type;
      const call = new Try(timeoutMs);
      try {
        return ok(subject, (await transport.probe?.(call)) ?? '');
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        const remedy = `See the documentation of the output type ${output.type}.`;
        return placed(failure(subject, error.message, remedy), places(outputs));
      } finally {
        call.end();
      }
    }),
  );
};

/** A failure says which outputs suffer. */
const placed = (diagnosis: Diagnosis, places: string): Diagnosis =>
  diagnosis.verdict === 'failure' ? { ...diagnosis, says: `${diagnosis.says} (${places})` } : diagnosis;

/** Checks logins against the rules of each mail provider, without logging in. */
export const examineMailLogins: Examine = async (setup, { env }) => {
  const known = outputsThrough(setup, 'smtp').flatMap(({ target, place }) => {
    const account = accountAt(target.host);
    return account ? [{ target, account, place }] : [];
  });
  const distinct = groupBy(known, ({ target: { host, username, password, auth = 'plain' } }) =>
    JSON.stringify([host, username?.source, password?.source, auth]),
  );
  return distinct.map((group) => {
    const [{ target, account }] = group;
    const { title, username, secret } = account;
    const wants = `wants ${username.is} as username, and ${secretOf(account)}`;
    const doubt = doubtAbout(target, account, setup.settings, env);
    if (!doubt) return ok(title, wants);
    return warning(
      title,
      `${doubt.says} (${places(group)})`,
      doubt.remedy ?? `${title} ${wants}: ${secret.from}.`,
    );
  });
};

type Doubt = Pick<Diagnosis, 'says' | 'remedy'>;

function doubtAbout(
  { username, password, auth }: SmtpTarget,
  account: MailAccount,
  { smtpEhloName }: Pick<Settings, 'smtpEhloName'>,
  env: DoctorContext['env'],
): Doubt | undefined {
  const { title, wantsOAuth, wantsEhloName, takesNoLogin } = account;
  if (wantsEhloName && smtpEhloName === undefined) {
    const says = `without SMTP_EHLO_NAME, ${title} hangs up (421 4.7.0)`;
    return { says, remedy: 'Set it to a name of yours in the DNS, such as forms.example.com.' };
  }
  if (!username)
    return takesNoLogin ? undefined : { says: 'there is no username, and it takes no mail without one' };
  if (auth === 'oauth2') return undefined;
  if (wantsOAuth) {
    const says = 'it is shown a password, and takes none but where an administrator keeps them allowed';
    return { says, remedy: `${title} wants OAuth: relay init --mail microsoft365 shows it.` };
  }
  if (username.isSubmitted || password?.isSubmitted) return undefined;
  const login = [username, password].map((part) => (part ? renderWithoutFields(part, env) : ''));
  // Another examination reports unset variables too.
  return login.includes('') ? { says: 'the username or the password is empty' } : undefined;
}
