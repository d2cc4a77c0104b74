import type net from 'node:net';
import type { Environment } from '../../packages/core/src/settings.ts';
import type { ArchiveDocument } from '../../packages/more-outputs/src/archive_layout.ts';
import { catalogue } from '../../packages/runtimes/src/catalogue.ts';
import { bundledRegistry } from '../../packages/runtimes/src/inspect.ts';
import { answerOf } from '../support/chat_suite.ts';
import {
  decodeMail,
  expectLogged,
  httpSink,
  rawServer,
  relayWith,
  type SinkAnswer,
  type SunkRequest,
  smtpSink,
  type TestRelay,
} from '../support/index.ts';
import { slack } from '../support/slack.ts';

/** A received delivery: keys and values in order. */
type Delivered = readonly (readonly [key: string, value: string])[];

type Answering = (request: SunkRequest) => SinkAnswer;

const repeating =
  (status: number): Answering =>
  ({ body }) => ({ status, body });

interface Sink {
  readonly port: number;
  /** Deliveries that the receiver accepted. */
  readonly taken: () => readonly Delivered[];
}

/** Everything the suite needs to test an output type against the promises that all types make. */
interface Subject {
  /** The type-specific YAML keys that send to a server at `port` of 127.0.0.1. */
  readonly keys: (port: number) => string;
  /** Environment variables that it needs. */
  readonly env?: (port: number) => Environment;
  /** A real server that accepts everything. */
  readonly start: () => Promise<Sink>;
  /** A real server that refuses everything. */
  readonly startRefusing: () => Promise<Sink>;
  /** The server's greeting, sent before the client speaks. */
  readonly greeting: string;
  /** The beginning of an answer, sent by a server that disconnects. */
  readonly opening: string;
}

/** Accepts requests, and answers 200. Others may quote the input, which must not reach the log. */
async function sunk(answer: Answering, read: (request: SunkRequest) => Delivered): Promise<Sink> {
  const taken: Delivered[] = [];
  const sink = await httpSink({
    answer: (request) => {
      const said = answer(request);
      if ((said.status ?? 200) === 200) taken.push(read(request));
      return said;
    },
  });
  return { port: sink.port, taken: () => taken };
}

const httpSubject: Subject = {
  keys: (port) =>
    `url: "http://127.0.0.1:${port}/hook", headers: {Authorization: 'Bearer {{ env "KEY" }}', X-Name: "{{ .fields.name }}"}`,
  start: () => sunk(repeating(200), ({ body }) => [...new URLSearchParams(body)]),
  startRefusing: () => sunk(repeating(503), () => []),
  greeting: '',
  // An incomplete head, because the status would decide once the head is complete.
  opening: 'HTTP/1.1 200 OK\r\nContent-Length: 1',
};

const jsonOf = ({ bytes }: SunkRequest) => JSON.parse(bytes.toString('utf8'));

/** A list means several values of one key. */
const pairsOf = (object: Readonly<Record<string, string | readonly string[]>>): Delivered =>
  Object.entries(object).flatMap(([key, values]) =>
    [values].flat().map((value): Delivered[number] => [key, value]),
  );

/** Slack's message contains the same as text: in the mapping's order, with several values in one. */
const pairsOfSlack = (request: SunkRequest): Delivered =>
  slack
    .read(request)
    .entries.flatMap(([label, value]) => value.split(', ').map((one): Delivered[number] => [label, one]))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** All registered output types. A new type must be listed here, so that it is tested. */
const subjects: Readonly<Record<string, Subject>> = {
  http_post: httpSubject,
  crm_web2lead: httpSubject,
  webhook: { ...httpSubject, start: () => sunk(repeating(200), (request) => pairsOf(jsonOf(request))) },
  slack: {
    ...httpSubject,
    keys: (port) =>
      `url: "${slack.keys(`http://127.0.0.1:${port}`).url}", title: 'From {{ .fields.name }} {{ env "KEY" }}'`,
    start: () => sunk((request) => answerOf(slack, request), pairsOfSlack),
  },
  email: {
    ...httpSubject,
    keys: () =>
      'to: "office@firm.test, {{ .fields.email }}", subject: "From {{ .fields.name }}", reply_to: "{{ .fields.email }}"',
    env: (port) => ({
      MAIL_FROM_ADDRESS: 'forms@firm.test',
      AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: secret,
    }),
    // As documented in its API reference.
    start: () =>
      sunk(
        () => ({ body: '{"MessageId": "1"}' }),
        (request) => linesOf(jsonOf(request).Content.Simple.Body.Text.Data),
      ),
    startRefusing: () =>
      sunk(
        ({ body }) => ({
          status: 400,
          headers: { 'x-amzn-errortype': 'MessageRejected' },
          body: JSON.stringify({ message: body }),
        }),
        () => [],
      ),
  },
  smtp: {
    keys: (port) =>
      `host: 127.0.0.1, port: ${port}, from: relay@forms.test, to: "office@firm.test, {{ .fields.email }}", ` +
      `username: user, password: '{{ env "KEY" }}', subject: "From {{ .fields.name }}", reply_to: "{{ .fields.email }}"`,
    start: () => mailSink(),
    startRefusing: () => mailSink((said) => `550 5.7.1 no thanks: ${said}`),
    greeting: '220 mail.test ESMTP\r\n',
    opening: '250-mail.test',
  },
  s3: {
    ...httpSubject,
    keys: () => 'bucket: archive, prefix: forms',
    env: (port) => ({
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: secret,
    }),
    start: () =>
      sunk(
        () => ({}),
        (request) =>
          (jsonOf(request) as ArchiveDocument).fields.flatMap(({ name, values }) =>
            pairsOf({ [name]: values }),
          ),
      ),
    startRefusing: () =>
      sunk(
        ({ body }) => ({ status: 503, body: `<Error><Code>${body}</Code></Error>` }),
        () => [],
      ),
  },
};

/** Outputs without a server: packages/more-outputs/test/archive.test.ts tests their failures. */
/** `asker` receives only answers to asks; packages/ask tests it. */
const withoutServer = ['asker', 'folder'];

async function mailSink(refuse?: (said: string) => string): Promise<Sink> {
  const auth = { username: 'user', password: secret };
  const sink = await smtpSink({ auth, ...(refuse && { onMessage: refuse }) });
  const taken = () => sink.mails.map(({ raw }) => linesOf(decodeMail(raw).text));
  return { port: sink.port, taken };
}

/** The `key=value` lines of a mail. */
const linesOf = (text: string): Delivered =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);

const secret = 'S3CRET-from-the-environment';
const submitted: [string, string][] = [
  ['name', 'Zoë Submitted-Name'],
  ['email', 'submitted@visitor.test'],
  ['topic', 'Submitted-Topic-1'],
  ['topic', ''],
  ['topic', 'Submitted-Topic-2'],
  ['empty', ''],
];

/** Always closed; a port that was just closed might be reused by the next server. */
const unusedPort = 1;

function startWith(env: Environment, ...outputs: readonly string[]): Promise<TestRelay> {
  const config = `forms:
  contact:
    fields: [{name: name}, {name: email, type: email}, {name: topic}, {name: empty}]
    outputs:
${outputs.map((output) => `      - {${output}}\n`).join('')}`;
  return relayWith({ config, env: { KEY: secret, ...env } });
}

const submit = (relay: TestRelay) => relay.submit('contact', submitted);

const common =
  'mapping: {"Full Name": name, topic: topic, nothing: empty, absent: email}, ' +
  'static: {absent: "", form: "{{ .form.id }}", Source: site, gone: "{{ .fields.empty }}"}';

const expected: Delivered = [
  ['Full Name', 'Zoë Submitted-Name'],
  ['Source', 'site'],
  ['absent', 'submitted@visitor.test'],
  ['form', 'contact'],
  ['topic', 'Submitted-Topic-1'],
  ['topic', 'Submitted-Topic-2'],
];

/** The only failure in the log. */
function failureOf({ logged }: TestRelay) {
  const failures = logged.filter(({ event }) => event === 'delivery_failed');
  expect(failures).toHaveLength(1);
  return failures[0];
}

/** Expects neither submitted values, nor secrets, nor texts rendered from them. */
function expectDiscretion({ logged }: TestRelay) {
  expect(logged).not.toEqual([]);
  for (const word of [
    'ubmitted-',
    'ubmitted@',
    'Bearer',
    'From ',
    secret,
    Buffer.from(`\0user\0${secret}`).toString('base64'),
  ])
    expect(JSON.stringify(logged)).not.toContain(word);
}

test('every output type in packages/ is tested against these promises', async () => {
  const { plugins } = await bundledRegistry();
  const types = plugins
    .filter(({ name }) => !Object.hasOwn(catalogue, name))
    .flatMap(({ outputs = [] }) => outputs.map(({ type }) => type));
  expect(Object.keys(subjects).sort()).toEqual(types.filter((type) => !withoutServer.includes(type)).sort());
});

describe.each(Object.entries(subjects))('%s', (type, subject) => {
  const { keys, greeting, opening, env = () => ({}) } = subject;
  const output = (port: number, more = '') => `type: ${type}, ${keys(port)}, ${common}${more}`;
  const relayTo = (port: number, more?: string) => startWith(env(port), output(port, more));
  /** Sends the protocol's greeting, if any, and then runs this on the first request. */
  const afterRequest = (then: (socket: net.Socket) => void) => (socket: net.Socket) => {
    socket.write(greeting);
    socket.once('data', () => then(socket));
  };

  test('delivers all mapped and static values in order, and leaves out empty ones', async () => {
    const sink = await subject.start();
    const relay = await relayTo(sink.port);
    expect((await submit(relay)).status).toBe(200);
    expect(sink.taken()).toEqual([expected]);
    expectLogged(relay, {
      event: 'submission',
      form: 'contact',
      deliveries: [expect.objectContaining({ output: 0, type, outcome: 'delivered', tries: 1 })],
    });
    expectDiscretion(relay);
  });

  test('with on_error: fail, the default, a failure is a 500, and the others are still delivered', async () => {
    const [refusing, sink] = [await subject.startRefusing(), await httpSubject.start()];
    const other = `type: http_post, ${httpSubject.keys(sink.port)}, ${common}`;
    const relay = await startWith(env(refusing.port), other, output(refusing.port), other);
    expect((await submit(relay)).status).toBe(500);
    expect(sink.taken()).toEqual([expected, expected]);
    expect(failureOf(relay)).toMatchObject({ level: 'error', output: 1, type, on_error: 'fail' });
    expectDiscretion(relay);
  });

  test.each<[string, (socket: net.Socket) => void]>([
    ['says nothing', () => {}],
    ['stops in mid-sentence', afterRequest((socket) => socket.write(opening))],
  ])('a server that %s fails within its timeout', async (_, serve) => {
    const { port } = await rawServer({ connect: serve });
    const relay = await relayTo(port, ', timeout: 300ms');
    const startedAt = performance.now();
    expect((await submit(relay)).status).toBe(500);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(failureOf(relay)).toMatchObject({
      reason: expect.stringMatching(
        /^no complete response within (300|[12]?\d?\d) ms(: time was up before .*)?$/,
      ),
    });
    expectDiscretion(relay);
  });

  test.each<[string, (socket: net.Socket) => void]>([
    ['closes at once', (socket) => socket.destroy()],
    ['resets when it has heard something', afterRequest((socket) => socket.resetAndDestroy())],
    ['closes in mid-sentence', afterRequest((socket) => socket.end(opening))],
    ['says what is no sentence', afterRequest((socket) => socket.end('\0\xff hunter2\r\n\r\n'))],
  ])('a server that %s is a failure with a reason', async (_, serve) => {
    const { port } = await rawServer({ connect: serve });
    const relay = await relayTo(port, ', timeout: 5s');
    expect((await submit(relay)).status).toBe(500);
    expect(failureOf(relay)).toMatchObject({
      reason: expect.stringMatching(/connection closed|response is not|ECONNRESET/),
    });
    expect(JSON.stringify(relay.logged)).not.toContain('hunter2');
    expectDiscretion(relay);
  });

  test('a refused connection is a failure with a reason', async () => {
    const relay = await relayTo(unusedPort);
    expect((await submit(relay)).status).toBe(500);
    expect(failureOf(relay)).toMatchObject({ reason: 'connect ECONNREFUSED' });
  });
});
