/** What a relay meets in a trial: servers that take what it delivers, a folder, and the config that names them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HttpSink, type SunkRequest, startHttpSink } from '../../test/support/http_sink.ts';
import { startRawServer } from '../../test/support/raw_server.ts';
import { type SmtpSink, startSmtpSink } from '../../test/support/smtp_sink.ts';

export interface World {
  readonly hook: HttpSink;
  /** SES, as far as it is asked. */
  readonly aws: HttpSink;
  readonly smtp: SmtpSink;
  readonly secure: HttpSink;
  readonly folder: string;
  readonly configFile: string;
  readonly env: Readonly<Record<string, string>>;
  /** What came to a path of the hook. */
  to(path: string): readonly SunkRequest[];
  /** Writes the config anew, with one more form. */
  addForm(name: string): Promise<void>;
  close(): Promise<void>;
}

export const signingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export async function startWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-runtimes-'));
  const hook = await startHttpSink({ answer: answerOf(new Map()) });
  const aws = await startHttpSink({
    answer: () => ({ headers: { 'content-type': 'application/json' }, body: '{"MessageId":"1"}' }),
  });
  const secure = await startHttpSink({ tls: true });
  const smtp = await startSmtpSink({ tls: 'starttls' });
  let closings = 0;
  const closing = await startRawServer((socket) => {
    closings += 1;
    if (closings === 1) socket.destroy();
    else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  let greetings = 0;
  const eager = await startRawServer((socket) => {
    greetings += 1;
    if (greetings === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'.repeat(2));
    else socket.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  const configFile = join(folder, 'webform.yaml');
  for (const name of ['kept', 'archive']) await mkdir(join(folder, name));
  const places = {
    hook: hook.origin,
    secure: secure.origin,
    smtp: String(smtp.port),
    closing: closing.origin,
    eager: eager.origin,
    folder,
  };
  const written = (more: readonly string[]) => writeFile(configFile, configOf(places, more));
  await written([]);
  return {
    hook,
    aws,
    smtp,
    secure,
    folder,
    configFile,
    env: {
      CONFIG_FILE: configFile,
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
    addForm: (name) => written([name]),
    close: async () => {
      await Promise.all([hook, aws, secure, smtp, closing, eager].map((one) => one.close()));
      await rm(folder, { recursive: true });
    },
  };
}

const certificates = new URL('../../test/support/ca.pem', import.meta.url).pathname;

/** What the hook answers at each of its paths. */
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

function configOf(
  { hook, secure, smtp, closing, eager, folder }: Readonly<Record<string, string>>,
  more: readonly string[],
): string {
  const named: Readonly<Record<string, string>> = {
    contact: `fields: [{name: name, required: true}, {name: email, type: email}], outputs: [${post(`${hook}/contact`)}]`,
    cut: `fields: [{name: name}], outputs: [${post(`${hook}/cut`)}]`,
    proven: `spam: {proof_of_work: true}, fields: [{name: name}], outputs: [${post(`${hook}/proven`)}]`,
    pattern: `fields: [{name: name, pattern: "(?=a)(a+)+b"}], outputs: [${post(`${hook}/pattern`)}]`,
    mailed: `fields: [{name: name}], outputs: [{type: smtp, host: 127.0.0.1, port: ${smtp}, to: office@example.com, subject: "From {{ .fields.name }}", mapping: "*"}]`,
    ses: `fields: [{name: name}], outputs: [{type: email, to: office@example.com, mapping: "*"}]`,
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
    files: `max_body: 1 MB, fields: [{name: name}, {name: cv, type: file, max_size: 500 KB, accept: [text, image]}], outputs: [{type: webhook, url: "${hook}/files", mapping: "*", files: base64}, {type: folder, path: "${folder}/archive", mapping: "*"}]`,
    always: `keep: always, fields: [{name: name}], outputs: [${post(`${hook}/always`)}]`,
    failed: `keep: failed, fields: [{name: name}], outputs: [${post(`${hook}/full`)}]`,
  };
  const all = [...Object.entries(named), ...more.map((name) => [name, named.contact] as const)];
  return `keep: {in: "${folder}/kept"}\nforms:\n${all.map(([name, form]) => `  ${name}: {${form}}\n`).join('')}`;
}
