import { ClientError } from '@form-relay/core/base/client_error';
import { type Diagnosis, ok, warning } from '@form-relay/mail-dns';
import { type Examine, timeoutMs } from './examination.ts';
import { firstOf, formsOf, groupBy, read } from './outputs.ts';
import { connectionRemedy } from './probes/connection_remedy.ts';

/** Whether each service that a signal asks would answer. It is asked about nobody. */
export const examineServices: Examine = (setup, { env, http }) => {
  const used = formsOf(setup).flatMap((form) =>
    (form.provided.get('doubt')?.signals ?? []).flatMap(({ name, service }) =>
      service ? [{ id: form.id, name, service }] : [],
    ),
  );
  const { settings } = setup;
  const services = { http, env: (name: string) => read(env, name) };
  return Promise.all(
    groupBy(used, ({ name, service: { host, needs } }) => JSON.stringify([name, host, needs])).map(
      async (same) => {
        const [{ name, service }] = same;
        return look(name, service.host, firstOf(same), () =>
          service.probe({ settings, services }, timeoutMs),
        );
      },
    ),
  );
};

/** Nothing is lost without a service, so this is no failure. */
async function look(
  name: string,
  host: string,
  forms: string,
  probe: () => Promise<void>,
): Promise<Diagnosis> {
  const subject = `${name} at ${host}`;
  try {
    await probe();
    return ok(subject, 'it answers');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}; until this works, it speaks against no submission of ${forms}`;
    return warning(subject, says, remedies[error.code] ?? unreached(error.code, host));
  }
}

/** @param host As in an address: with its port, where that is not the scheme's own. */
function unreached(code: ClientError['code'], host: string): string {
  const [, name = host, port = '443'] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return connectionRemedy(code, name, Number(port));
}

const remedies: Readonly<Record<string, string>> = {
  service_key_unset: 'Set it where the relay runs.',
  service_key_malformed: 'Copy the key again, all of it and nothing else.',
  service_key_refused: 'Copy the key again from your account there, and see whether it has ended.',
  service_site_unset: 'Write `site`, the front page of your site, beside `key_env`.',
  service_without_verdict: 'Check `url`: something else answers there.',
};
