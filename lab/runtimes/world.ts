/** The environment of a relay in a trial: servers that accept its deliveries, a folder, and the config that names them. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readYaml } from '../../scripts/data.ts';
import { type SunkRequest, startHttpSink } from '../../test/support/http_sink.ts';
import { startRawServer } from '../../test/support/raw_server.ts';
import { startSmtpSink } from '../../test/support/smtp_sink.ts';
import { fill, type Place } from './place.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;

export const signingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export async function startWorld(place: Place, isWorker = false) {
  await fill(place);
  const hook = await startHttpSink({ answer: answerOf(new Map()) });
  /** A stub of SES, as far as relays use it. */
  const aws = await startHttpSink({
    answer: () => ({ headers: { 'content-type': 'application/json' }, body: '{"MessageId":"1"}' }),
  });
  const secure = await startHttpSink({ tls: true });
  const smtp = await startSmtpSink({ tls: 'starttls' });
  let closings = 0;
  const closing = await startRawServer({
    post: (socket) => {
      closings += 1;
      if (closings === 1) socket.destroy();
      else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    },
  });
  let greetings = 0;
  const eager = await startRawServer({
    post: (socket) => {
      greetings += 1;
      if (greetings === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'.repeat(2));
      else socket.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    },
  });
  const configFile = join(place.config.outside, 'webform.yaml');
  const places = {
    HOOK: hook.origin,
    SECURE: secure.origin,
    SMTP: String(smtp.port),
    CLOSING: closing.origin,
    EAGER: eager.origin,
    FOLDER: place.state.inside,
  };
  const config = configOf(places, isWorker);
  const written = async (text: string) => {
    await writeFile(configFile, text);
    await chmod(configFile, 0o644);
  };
  await written(config);
  const certificates = join(place.config.inside, 'ca.pem');
  return {
    hook,
    aws,
    smtp,
    secure,
    /** The folder that the relay may write to, as seen from here. */
    folder: place.state.outside,
    /** The config that it starts with. */
    config,
    env: {
      CONFIG_FILE: join(place.config.inside, 'webform.yaml'),
      CACHE_TTL: '300ms',
      FORM_TOKEN_SECRET: 'a secret of thirty-two characters',
      HOOK_SECRET: signingSecret,
      KEEP_SECRET: 'another secret of thirty-two chars',
      MAIL_FROM_ADDRESS: 'forms@example.com',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL: aws.origin,
      TRUSTED_PROXIES: '127.0.0.1',
      THROTTLE_RATE_LIMIT: '1000',
      THROTTLE_BURST_LIMIT: '1000',
      NODE_EXTRA_CA_CERTS: certificates,
      DENO_CERT: certificates,
    },
    /** The hook's requests to a path. */
    to: (path: string) => hook.requests.filter(({ url }) => url === path),
    /** Rewrites the config with one more form. */
    addForm: (name: string) => written(configOf(places, false, name)),
    close: async () => {
      await Promise.all([hook, aws, secure, smtp, closing, eager].map((one) => one.close()));
    },
  };
}

/** The hook's answer at each of its paths. */
const answerOf =
  (times: Map<string, number>) =>
  async ({ url }: SunkRequest) => {
    const time = (times.get(url) ?? 0) + 1;
    times.set(url, time);
    switch (url) {
      case '/flaky':
        return { status: time === 1 ? 503 : 200 };
      case '/done':
        return { status: 302, headers: { location: '/never' } };
      case '/moved':
        return { status: 307, headers: { location: '/there' } };
      case '/slow':
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return {};
      case '/full':
        return { status: time === 1 ? 500 : 200 };
      default:
        return {};
    }
  };

interface Config {
  readonly forms: Readonly<Record<string, object>>;
}

const ofWorkers = ['contact', 'ukrainian', 'plugged', 'mailed_by_ses', 'stored', 'always'];

/** @param added Names of forms like `contact`. */
function configOf(
  places: Readonly<Record<string, string>>,
  isWorker: boolean,
  ...added: readonly string[]
): string {
  const config = readYaml<Config>(new URL('webform.yaml', import.meta.url), places);
  const like = (names: readonly string[]) => names.map((name) => [name, config.forms.contact]);
  const forms = Object.entries(config.forms).filter(([name]) => !isWorker || ofWorkers.includes(name));
  const more = isWorker ? { keep: { in: 'queue://KEPT/ASIDE' }, plugins: undefined } : {};
  return JSON.stringify({ ...config, ...more, forms: Object.fromEntries([...forms, ...like(added)]) });
}
