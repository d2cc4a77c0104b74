import { ClientError } from '@form-relay/relay/base';
import { type Diagnosis, ok, warning } from '@form-relay/relay/diagnosis';
import { doubt, type Signal } from '@form-relay/relay/features';
import { connectionRemedy } from '@form-relay/relay/transports';
import { type Examine, timeoutMs } from './examination.ts';
import { groupBy, read } from './outputs.ts';

/** Whether each service that a signal asks would answer. It is asked about nobody. */
export const examineServices: Examine = ({ forms, settings }, { env, http }) => {
  const used = forms.flatMap((form) =>
    (doubt.of(form)?.signals ?? []).flatMap(({ name, service }) =>
      service ? [{ id: form.id, name, service }] : [],
    ),
  );
  const effects = { http, env: (name: string) => read(env, name) };
  return Promise.all(
    groupBy(used, ({ name, service: { host, needs } }) => JSON.stringify([name, host, needs])).map(
      async ([{ id, name, service }, ...more]) => {
        const forms = more.length > 0 ? `"${id}" and ${more.length} more` : `"${id}"`;
        return look(name, service.host, forms, () => service.probe({ settings, effects }, timeoutMs));
      },
    ),
  );
};

/** Nothing is lost without a service, so this is no failure. */
async function look(
  name: Signal['name'],
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

const remedies: Partial<Record<ClientError['code'], string>> = {
  service_key_unset: 'Set it where the relay runs.',
  service_key_malformed: 'Copy the key again, all of it and nothing else.',
  service_key_refused: 'Copy the key again from your account there, and see whether it has ended.',
  service_site_unset: 'Write `site`, the front page of your site, beside `key_env`.',
  service_without_verdict: 'Check `url`: something else answers there.',
};
