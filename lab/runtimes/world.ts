/** The environment of a relay in a trial: servers that take what it delivers, a folder, and the config that names them. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HttpSink, type SunkRequest, startHttpSink } from '../../test/support/http_sink.ts';
import { startRawServer } from '../../test/support/raw_server.ts';
import { type SmtpSink, startSmtpSink } from '../../test/support/smtp_sink.ts';
import { fill, type Place } from './place.ts';

export interface World {
  readonly hook: HttpSink;
  /** A stub of SES, as far as relays use it. */
  readonly aws: HttpSink;
  readonly smtp: SmtpSink;
  readonly secure: HttpSink;
  /** The folder that the relay may write, as seen from here. */
  readonly folder: string;
  /** The config that it starts with. */
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
  /** The requests to a path of the hook. */
  to(path: string): readonly SunkRequest[];
  /** Rewrites the config, with one more form. */
  addForm(name: string): Promise<void>;
  close(): Promise<void>;
}

export const signingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export async function startWorld(place: Place, isWorker = false): Promise<World> {
  await fill(place);
  const hook = await startHttpSink({ answer: answerOf(new Map()) });
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
    hook: hook.origin,
    secure: secure.origin,
    smtp: String(smtp.port),
    closing: closing.origin,
    eager: eager.origin,
    folder: place.state.inside,
  };
  const config = isWorker ? workerConfigOf(places) : configOf(places, []);
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
    folder: place.state.outside,
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
    to: (path) => hook.requests.filter(({ url }) => url === path),
    addForm: (name) => written(configOf(places, [name])),
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

const post = (url: string, more = '') => `{type: http_post, url: "${url}", mapping: "*"${more}}`;

/** Forms that hold on every platform. */
const everywhere = ({ hook }: Places) => ({
  contact: `fields: [{name: name, required: true}, {name: email, type: email}], outputs: [${post(`${hook}/contact`)}]`,
  ukrainian: `language: uk, fields: [{name: name, required: true}, {name: phone, type: tel, country: DE}], outputs: [${post(`${hook}/ukrainian`)}]`,
  plugged: `spam: {blocked_domains: [mailinator.com]}, fields: [{name: email, type: email}], outputs: [${post(`${hook}/plugged`)}]`,
  mailed_by_ses: `${withFile}, outputs: [{type: email, to: office@example.com, mapping: "*", html: true, pdf: true}]`,
  stored: `fields: [{name: name}], outputs: [{type: s3, bucket: leads, mapping: "*"}]`,
  always: `keep: always, fields: [{name: name}], outputs: [${post(`${hook}/always`)}]`,
});

const withFile = 'fields: [{name: name}, {name: note, type: file, accept: [text]}]';

const workerConfigOf = (places: Places) =>
  `keep: {in: "queue://KEPT/ASIDE"}\nforms:\n${listed(Object.entries(everywhere(places)))}`;

const listed = (forms: readonly (readonly [name: string, form: string | undefined])[]) =>
  forms.map(([name, form]) => `  ${name}: {${form}}\n`).join('');

type Places = Readonly<Record<string, string>>;

function configOf({ hook, secure, smtp, closing, eager, folder }: Places, more: readonly string[]): string {
  const named: Places = {
    ...everywhere({ hook: hook ?? '' }),
    cut: `fields: [{name: name}], outputs: [${post(`${hook}/cut`)}]`,
    proven: `spam: {proof_of_work: true}, fields: [{name: name}], outputs: [${post(`${hook}/proven`)}]`,
    pattern: `fields: [{name: name, pattern: "(?=a)(a+)+b"}], outputs: [${post(`${hook}/pattern`)}]`,
    mailed_by_smtp: `${withFile}, outputs: [{type: smtp, host: 127.0.0.1, port: ${smtp}, to: office@example.com, mapping: "*", html: true, pdf: true}]`,
    limited: `rate_limit: 2 per 1h, fields: [{name: name}], outputs: [${post(`${hook}/limited`)}]`,
    eager: `fields: [{name: name}], outputs: [${post(`${eager}/`)}]`,
    resting: `fields: [{name: name}], outputs: [${post(`${hook}/resting`)}]`,
    signed: `fields: [{name: name}], outputs: [{type: webhook, url: "${hook}/signed", mapping: "*", sign: {secret: '{{ env "HOOK_SECRET" }}'}}]`,
    secure: `fields: [{name: name}], outputs: [${post(`${secure}/secure`)}]`,
    flaky: `fields: [{name: name}], outputs: [${post(`${hook}/flaky`)}]`,
    closing: `fields: [{name: name}], outputs: [${post(`${closing}/`)}]`,
    done: `fields: [{name: name}], outputs: [${post(`${hook}/done`)}]`,
    moved: `fields: [{name: name}], outputs: [${post(`${hook}/moved`)}]`,
    slow: `fields: [{name: name}], outputs: [${post(`${hook}/slow`)}]`,
    files: `max_body: 1 MB, fields: [{name: name}, {name: cv, type: file, max_size: 500 KB, accept: [text, image]}], outputs: [{type: webhook, url: "${hook}/files", mapping: "*", files: base64}, {type: folder, path: "${folder}", mapping: "*"}]`,
    failed: `keep: failed, fields: [{name: name}], outputs: [${post(`${hook}/full`)}]`,
  };
  const all = [...Object.entries(named), ...more.map((name) => [name, named.contact] as const)];
  return `keep: {in: "${folder}"}\nplugins: [./blocklist.mjs]\nforms:\n${listed(all)}`;
}
