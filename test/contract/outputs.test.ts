import type net from 'node:net';
import type { Environment } from '../../packages/core/src/settings.ts';
import type { ArchiveDocument } from '../../packages/more-outputs/src/archive_layout.ts';
import { catalogue } from '../../packages/runtimes/src/catalogue.ts';
import { bundledRegistry } from '../../packages/runtimes/src/inspect.ts';
import type { HttpSinkOptions } from '../support/http_sink.ts';
import { decodeMail, expectLogged, httpSink, rawServer, relayWith, smtpSink } from '../support/index.ts';
import type { TestRelay } from '../support/relay.ts';
import { type Shown, slack } from '../support/slack.ts';

/** A received delivery: keys and values in the order in which they came. */
type Delivered = readonly (readonly [key: string, value: string])[];

interface Sink {
  readonly port: number;
  /** The deliveries that the other side took. */
  readonly taken: () => readonly Delivered[];
}

/** All that the suite must know of an output type to hold it to the promises that all share. */
interface Subject {
  /** The YAML keys, in addition to the common ones, that send to a server at `port` of 127.0.0.1. */
  readonly keys: (port: number) => string;
  /** The environment variables that it needs. */
  readonly env?: (port: number) => Environment;
  /** A real server that takes everything. */
  readonly start: () => Promise<Sink>;
  /** A real server that takes nothing and says so. */
  readonly startRefusing: () => Promise<Sink>;
  /** The server's greeting before it is spoken to. */
  readonly greeting: string;
  /** The start of an answer, which a server that breaks off sends. */
  readonly opening: string;
}

const httpSubject: Subject = {
  keys: (port) =>
    `url: "http://127.0.0.1:${port}/hook", headers: {Authorization: 'Bearer {{ env "KEY" }}', X-Name: "{{ .fields.name }}"}`,
  start: () => formSink(200),
  startRefusing: () => formSink(503),
  greeting: '',
  // Cuts the head: with that complete, the status decides.
  opening: 'HTTP/1.1 200 OK\r\nContent-Length: 1',
};

async function formSink(status: number): Promise<Sink> {
  // An answer may repeat what was sent; none of it belongs into the log.
  const sink = await httpSink({ answer: ({ body }) => ({ status, body }) });
  const bodies = () =>
    (status === 200 ? sink.requests : []).map(({ body }) => [...new URLSearchParams(body)]);
  return { port: sink.port, taken: bodies };
}

/** A list stands for several values of one key. */
const jsonSubject: Subject = {
  ...httpSubject,
  start: async () => {
    const sink = await httpSink();
    const taken = () => sink.requests.map(({ bytes }) => pairsOf(JSON.parse(bytes.toString('utf8'))));
    return { port: sink.port, taken };
  },
};

const pairsOf = (object: Readonly<Record<string, string | readonly string[]>>): Delivered =>
  Object.entries(object).flatMap(([key, values]) =>
    [values].flat().map((value): Delivered[number] => [key, value]),
  );

/** Slack says the same in words: in the order of the mapping, several values in one. */
async function slackSink(answer: HttpSinkOptions['answer']): Promise<Sink> {
  const sink = await httpSink({ answer });
  const taken = () => sink.requests.map(slack.read).map(asPairs);
  return { port: sink.port, taken };
}

const asPairs = ({ entries }: Shown): Delivered =>
  entries
    .flatMap(([label, value]) => value.split(', ').map((one): Delivered[number] => [label, one]))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Every registered output type. A new one is held to the promises when it stands here; it must. */
const subjects: Readonly<Record<string, Subject>> = {
  http_post: httpSubject,
  crm_web2lead: httpSubject,
  webhook: jsonSubject,
  slack: {
    ...httpSubject,
    keys: (port) =>
      `url: "${slack.url(`http://127.0.0.1:${port}`)}", title: 'From {{ .fields.name }} {{ env "KEY" }}'`,
    start: () => slackSink(slack.answer),
    startRefusing: () => slackSink(({ body }) => ({ status: 503, body })),
  },
  email: {
    keys: () =>
      'to: "office@firm.test, {{ .fields.email }}", subject: "From {{ .fields.name }}", reply_to: "{{ .fields.email }}"',
    env: (port) => ({
      MAIL_FROM_ADDRESS: 'forms@firm.test',
      AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: secret,
    }),
    start: () => sesSink(200),
    startRefusing: () => sesSink(400),
    greeting: '',
    opening: httpSubject.opening,
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
    keys: () => 'bucket: archive, prefix: forms',
    env: (port) => ({
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: secret,
    }),
    start: () => s3Sink(200),
    startRefusing: () => s3Sink(503),
    greeting: '',
    opening: httpSubject.opening,
  },
};

/** Outputs without a server: packages/more-outputs/test/archive.test.ts is about their failures. */
/** `asker` gets answers to asks alone, which packages/ask tries. */
const withoutServer = ['asker', 'folder'];

/** Takes documents; it refuses with the visitor's own words. */
async function s3Sink(status: number): Promise<Sink> {
  const sink = await httpSink({
    answer: ({ body }) => ({ status, body: status === 200 ? '' : `<Error><Code>${body}</Code></Error>` }),
  });
  const taken = () =>
    (status === 200 ? sink.requests : []).map(({ bytes }) =>
      (JSON.parse(bytes.toString()) as ArchiveDocument).fields.flatMap(({ name, values }) =>
        values.map((value): Delivered[number] => [name, value]),
      ),
    );
  return { port: sink.port, taken };
}

async function mailSink(refuse?: (said: string) => string): Promise<Sink> {
  const auth = { username: 'user', password: secret };
  const sink = await smtpSink({ auth, ...(refuse && { onMessage: refuse }) });
  const taken = () => sink.mails.map(({ raw }) => linesOf(decodeMail(raw).text));
  return { port: sink.port, taken };
}

/** SES as its API reference has it; it refuses with the visitor's own words. */
async function sesSink(status: number): Promise<Sink> {
  const sink = await httpSink({
    answer: ({ body }) => ({
      status,
      headers: status === 200 ? {} : { 'x-amzn-errortype': 'MessageRejected' },
      body: status === 200 ? '{"MessageId": "1"}' : JSON.stringify({ message: body }),
    }),
  });
  const taken = () =>
    (status === 200 ? sink.requests : []).map(({ bytes }) =>
      linesOf(JSON.parse(bytes.toString()).Content.Simple.Body.Text.Data),
    );
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

/** Always closed; a port that was just closed may be given to the next server. */
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

/** The one failure in the log. */
function failureOf({ logged }: TestRelay) {
  const failures = logged.filter(({ event }) => event === 'delivery_failed');
  expect(failures).toHaveLength(1);
  return failures[0];
}

/** Neither what was submitted, nor a secret, nor what they were rendered into. */
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

test('every output type of the packages is held to these promises', async () => {
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
  /** Greets, as far as the protocol has it, and does this when it is spoken to. */
  const afterRequest = (then: (socket: net.Socket) => void) => (socket: net.Socket) => {
    socket.write(greeting);
    socket.once('data', () => then(socket));
  };

  test('delivers mapped and static values, all of them, in order, and leaves empty ones out', async () => {
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

  test('with on_error: fail, the default, a failure is a 500, and the others are delivered still', async () => {
    const [refusing, sink] = [await subject.startRefusing(), await formSink(200)];
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
