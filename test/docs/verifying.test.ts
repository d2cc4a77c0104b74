/** The receivers in examples/webhook-receivers, each in its own language if that is installed. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { signWebhook } from '../../packages/clients/src/webhook/signature.ts';
import { startRelay, suiteFolder } from '../support/index.ts';
import { freePort } from '../support/kept_server.ts';
import { signatureOf } from '../support/webhook_signature.ts';
import { pathOf, read } from './papers.ts';

const folder = suiteFolder();

interface Language {
  readonly block: string;
  readonly file: string;
  readonly needs: readonly string[];
  /** Turns the file into a program. */
  readonly build?: (file: string) => readonly string[];
  readonly start: (file: string, port: number) => readonly string[];
}

const languages: readonly Language[] = [
  {
    block: 'ts',
    file: 'receiver.ts',
    needs: [process.execPath, '--version'],
    start: (file) => [process.execPath, '--import', import.meta.resolve('tsx'), file],
  },
  {
    block: 'python',
    file: 'receiver.py',
    needs: ['python3', '-c', 'import sys; assert sys.version_info >= (3, 9)'],
    start: (file) => ['python3', file],
  },
  {
    block: 'go',
    file: 'receiver.go',
    needs: ['go', 'version'],
    build: (file) => ['go', 'build', '-o', `${file}.out`, file],
    start: (file) => [`${file}.out`],
  },
  {
    block: 'php',
    file: 'receiver.php',
    needs: ['php', '--version'],
    start: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
  },
  {
    block: 'ruby',
    file: 'config.ru',
    needs: ['ruby', '-ropenssl', '-e', 'OpenSSL.method(:secure_compare)'],
    start: (file) => ['ruby', pathOf('test/docs/receivers/rack.rb'), file],
  },
];

const environment = (more: Readonly<Record<string, string>>) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME ?? folder,
  GOCACHE: join(folder, 'go'),
  GO111MODULE: 'off',
  ...more,
});

function run(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [program = '', ...given] = command;
  return spawnSync(program, given, { env: environment(env), encoding: 'utf8' });
}

const isInstalled = ({ needs }: Language): boolean => run(needs).status === 0;

test('TypeScript can be tested everywhere', () =>
  expect(languages.filter(isInstalled).map(({ block }) => block)).toContain('ts'));

test('the receiver in TypeScript is typed', () => {
  const file = join(folder, 'typed.ts');
  writeFileSync(file, sourceOf('receiver.ts'));
  const options = '--ignoreConfig --noEmit --strict --module nodenext --target es2022 --types node'.split(
    ' ',
  );
  const typeRoots = ['--typeRoots', pathOf('node_modules/@types')];
  const { stdout, status } = run([pathOf('node_modules/.bin/tsc'), ...options, ...typeRoots, file]);
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});

const sourceOf = (file: string): string => read(`examples/webhook-receivers/${file}`);

const key = Buffer.alloc(32, 0xa5);
const secret = `whsec_${key.toString('base64')}`;
const other = `whsec_${Buffer.alloc(24, 0x5a).toString('base64')}`;

const id = 'd9428888-122b-11e1-b85c-61cd3cbb3210-0';
const body = '{"name":"Zoë & Co.","text":"two\\r\\nlines"}';
const now = () => Math.floor(Date.now() / 1_000);

const signed = (secrets: readonly string[] = [secret], ageSeconds = 0) =>
  signWebhook({ id, timestamp: now() - ageSeconds, body, secrets });

/** Signed, whatever the timestamp says. */
const signedAt = (timestamp: string, signingKey = key): Headers => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': `v1,${signatureOf(id, timestamp, body, signingKey)}`,
});

const signatureOnly = (change: (signature: string) => string) => () => {
  const headers = signed();
  return { ...headers, 'webhook-signature': change(headers['webhook-signature']) };
};

type Headers = Readonly<Record<string, string>>;

type Request = readonly [what: string, headers: () => Headers, sent?: string | Buffer];

const genuine: readonly Request[] = [
  ['a signed request', () => signed()],
  ['names of headers in capitals', () => upper(signed())],
  ['two signatures, of which the first is ours', () => signed([secret, other])],
  ['two signatures, of which the second is ours', () => signed([other, secret])],
  ['versions that nobody knows', signatureOnly((one) => `v1a,bm8= v2 ${one} v9,`)],
  ['a clock that is four minutes behind', () => signed([secret], 240)],
  ['a clock that is four minutes ahead', () => signed([secret], -240)],
  ['an empty body', () => signWebhook({ id, timestamp: now(), body: '', secrets: [secret] }), ''],
];

const forged: readonly Request[] = [
  ['no header at all', () => ({})],
  ...Object.keys(signed()).flatMap((name): Request[] => [
    [`no ${name}`, () => without(signed(), name)],
    [`an empty ${name}`, () => ({ ...signed(), [name]: '' })],
  ]),
  ['another secret', () => signed([other])],
  ['an old request', () => signed([secret], 330)],
  ['a request from the future', () => signed([secret], -330)],
  ['a request from 1970', () => signedAt('0')],
  ['a timestamp that is no number', () => signedAt('now')],
  ['a timestamp without end', () => signedAt('9'.repeat(400))],
  ['a negative timestamp', () => signedAt(`-${now()}`)],
  ['not a number', () => signedAt('NaN')],
  ['another id', () => ({ ...signed(), 'webhook-id': `${id}1` })],
  ['another timestamp', () => ({ ...signed([secret], 10), 'webhook-timestamp': String(now()) })],
  ['another body', () => signed(), body.replace('Zoë', 'Zoe')],
  ['a body with a line break at its end', () => signed(), `${body}\n`],
  ['JSON that was written again', () => signed(), JSON.stringify(JSON.parse(body), null, 2)],
  ['a signature without a version', signatureOnly((one) => one.slice('v1,'.length))],
  ['a signature of another version', signatureOnly((one) => one.replace('v1,', 'v1a,'))],
  ['a version without a signature', signatureOnly(() => 'v1,')],
  ['half a signature', signatureOnly((one) => one.slice(0, 20))],
  ['more than a signature', signatureOnly((one) => `${one}AAAA`)],
  [
    'a signature with one other letter',
    signatureOnly((one) => one.replace(/,./, (at) => (at === ',A' ? ',B' : ',A'))),
  ],
  ['letters that take two bytes', signatureOnly((one) => one.replace(/..$/, 'é='))],
];

const upper = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));

const without = (headers: Headers, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));

const configOf = (port: number) => `
forms:
  contact:
    fields: [{name: name}]
    outputs:
      - {type: webhook, url: "http://127.0.0.1:${port}/", mapping: "*", sign: {secret: '{{ env "HOOK_SECRET" }}'}}
`;

function post(port: number, headers: Headers, sent: string | Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': Buffer.byteLength(sent) };
    const options = {
      port,
      host: '127.0.0.1',
      method: 'POST',
      agent: false,
      headers: { ...headers, ...length },
    };
    const request = http.request(options, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(sent);
  });
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

interface Receiver {
  readonly port: number;
  /** Whether it listens; `false` if it has exited. */
  readonly isUp: boolean;
  stop(): void;
}

/** Starts a receiver, and waits until it listens or exits. */
async function startReceiver({ file, start }: Language, secret: string): Promise<Receiver> {
  const port = await freePort();
  const [program = '', ...given] = start(join(folder, file), port);
  const env = environment({ PORT: String(port), WEBHOOK_SECRET: secret });
  const child = spawn(program, given, { env, stdio: 'ignore' });
  let isUp = false;
  while (!isUp && child.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    isUp = await isOpen(port);
  }
  return { port, isUp, stop: () => void child.kill('SIGKILL') };
}

describe.each(languages)('the receiver in $block', (language) => {
  const { file, build } = language;
  let receiver: Receiver | undefined;
  const answerTo = ([, headers, sent = body]: Request) => post(receiver?.port ?? 0, headers(), sent);

  beforeAll(async () => {
    if (!isInstalled(language)) return;
    writeFileSync(join(folder, file), sourceOf(file));
    if (build) expect(run(build(join(folder, file)))).toMatchObject({ stderr: '', status: 0 });
    receiver = await startReceiver(language, secret);
  }, 300_000);
  afterAll(() => receiver?.stop());

  const tried = test.skipIf(!isInstalled(language));

  tried.for(genuine)('takes %s', async (request) => expect(await answerTo(request)).toBe(204));

  tried.for(forged)('refuses %s', async (request) => expect(await answerTo(request)).toBe(401));

  tried('takes what a relay delivers, and not what one with another secret does', async () => {
    for (const [used, status] of [
      [secret, 200],
      [other, 500],
    ] as const) {
      const relay = await startRelay({ config: configOf(receiver?.port ?? 0), env: { HOOK_SECRET: used } });
      const { status: answered } = await relay.submit('contact', [['name', 'Zoë & Co.']]);
      await relay.close();
      expect(answered).toBe(status);
    }
  });

  tried('takes nothing when it has no secret, not even what is signed with none', async () => {
    const { port, isUp, stop } = await startReceiver(language, '');
    try {
      expect(isUp ? await post(port, signedAt(String(now()), Buffer.alloc(0)), body) : 500).toBe(500);
    } finally {
      stop();
    }
  });
});
