import { load } from 'js-yaml';
import { startHttpSink, startRelay, startSmtpSink, suiteFolder } from '../../../test/support/index.ts';
import { templates } from '../../starters/src/templates.ts';

type Json = Readonly<Record<string, unknown>>;

/** The twelve templates in one config, with test servers in place of the owners' servers. */
export async function startTemplates(ofForms: Json = {}) {
  const secret = 'q7Zk2mVr9sLd4kTz8wBnX5cF';
  const auth = { username: 'relay', password: secret };
  const [smtp, http] = [await startSmtpSink({ tls: 'starttls', auth }), await startHttpSink()];
  const real = (_: string, value: unknown): unknown => {
    if (value === 'smtp.example.com') return smtp.host;
    return typeof value === 'string' ? value.replace('https://lists.example.com', http.origin) : value;
  };
  const forms: Json = Object.assign(
    {},
    ...templates.map(({ config }) => (load(config) as { forms: Json }).forms),
  );
  for (const form of Object.values(forms)) Object.assign(form as object, ofForms);
  const text = JSON.stringify({ forms, keep: { in: suiteFolder() } }, real);
  const config = text.replaceAll(`"host":"${smtp.host}"`, `"host":"${smtp.host}","port":"${smtp.port}"`);
  const env = {
    ...{ FORM_TOKEN_SECRET: secret, LIST_TOKEN: secret, PUBLIC_URL: 'https://forms.example.com' },
    ...{ SMTP_USERNAME: auth.username, SMTP_PASSWORD: auth.password },
  };
  const relay = await startRelay({ config, env });
  return {
    ...{ relay, smtp, http, names: templates.map(({ name }) => name) },
    close: async () => void (await Promise.all([relay.close(), smtp.close(), http.close()])),
  };
}
