/** A studio on a free port of 127.0.0.1, with a config and a clock that tests can change. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createOwnerKey } from '@form-relay/runtimes/owner_key';
import { err, ok } from '../../../../packages/base/src/result.ts';
import { readAsset } from '../../../../packages/cli/src/commands/dev.ts';
import { createSmtpClient } from '../../../../packages/clients/src/smtp/smtp_client.ts';
import type { Services } from '../../../../packages/core/src/services.ts';
import type { Environment } from '../../../../packages/core/src/settings.ts';
import { ca } from '../../../../test/support/certificates.ts';
import type { ReportState, StudioState } from '../../src/state.ts';
import { createStudio } from '../../src/studio.ts';
import { createStudioServer } from '../../src/studio_server.ts';

export interface StageOptions {
  /** YAML. */
  readonly config: string;
  readonly env?: Environment;
  readonly effects?: Partial<Services>;
  readonly isDelivering?: boolean;
  /** Why the file cannot be written. */
  readonly trouble?: string;
  /** Idle connections are closed after this many milliseconds. */
  readonly idleMs?: number;
}

export interface SentEvent {
  readonly type: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

export interface Stage {
  readonly origin: string;
  readonly port: number;
  readonly key: string;
  /** The cookie of the browser that signed in at the start, sent with all requests. */
  readonly cookie: string;
  /** The content of the file. */
  readonly file: string;
  /** Saves another text as the config. */
  edit(config: string): Promise<void>;
  /** Stops, and starts another studio on the same port with another key. */
  restart(): Promise<void>;
  stop(): void;
  /** Advances the relay's clock, in milliseconds. */
  advance(ms: number): void;
  request(path: string, options?: http.RequestOptions & { readonly body?: string | Buffer }): Promise<Answer>;
  post(path: string, values: Readonly<Record<string, string>>): Promise<Answer>;
  /** Opens the event stream. */
  events(path?: string, headers?: Readonly<Record<string, string>>): Promise<Events>;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export type Events = ReturnType<typeof readEvents>;

export async function stage(options: StageOptions): Promise<Stage> {
  const { config, env = {}, effects = {}, isDelivering, idleMs, trouble } = options;
  let text = config;
  let aheadMs = 0;
  const services: Partial<Services> = {
    now: () => Date.now() + aheadMs,
    sleep: async () => {},
    smtp: createSmtpClient({ ca }),
    log: () => undefined,
    ...effects,
  };
  const make = () =>
    createStudio({
      env,
      services,
      file: {
        name: 'site/webform.yaml',
        load: async (parse) => ({ text, result: await parse(text) }),
        readSibling: async () => err('no file is beside it'),
        save: async (latest, expected) => {
          if (trouble !== undefined) return err(trouble);
          if (expected !== undefined && expected !== text) return ok('changed');
          text = latest;
          return ok('saved');
        },
      },
      asset: readAsset,
      isDelivering,
    });
  let studio = make();
  let server = http.createServer();
  let [port, key, cookie] = [0, '', ''];
  const start = async () => {
    await studio.reload();
    const owner = createOwnerKey('studio', () => port);
    ({ key } = owner);
    server = createStudioServer(studio, owner);
    if (idleMs !== undefined) server.timeout = idleMs;
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    const { headers } = await request(`/?key=${key}`);
    [cookie = ''] = (headers['set-cookie']?.[0] ?? '').split(';');
  };
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  // `fetch` cannot send a `Host` that differs from the URL.
  const open = (
    path: string,
    { body, headers, ...options }: http.RequestOptions & { readonly body?: string | Buffer },
  ) =>
    new Promise<http.IncomingMessage>((resolve, reject) => {
      http
        .request(
          { port, host: '127.0.0.1', path, agent: false, headers: { cookie, ...headers }, ...options },
          resolve,
        )
        .on('error', reject)
        .end(body);
    });
  const request: Stage['request'] = async (path, options = {}) => {
    const incoming = await open(path, options);
    const { statusCode = 0, headers } = incoming;
    return { status: statusCode, headers, text: (await buffer(incoming)).toString() };
  };
  await start();
  onTestFinished(stop);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    get key() {
      return key;
    },
    get cookie() {
      return cookie;
    },
    get file() {
      return text;
    },
    edit: async (latest) => {
      text = latest;
      await studio.reload();
    },
    stop,
    restart: async () => {
      stop();
      studio = make();
      await start();
    },
    advance: (ms) => {
      aheadMs += ms;
    },
    request,
    post: (path, values) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams(values)),
      }),
    events: async (path = '/studio/events', headers = {}) => readEvents(await open(path, { headers })),
  };
}

/** Parses server-sent events as a browser does. */
function readEvents(stream: http.IncomingMessage) {
  const all: SentEvent[] = [];
  const nextIndex = new Map<string, number>();
  let wake = () => {};
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks.filter((one) => one.includes('event: '))) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      all.push({
        type: fields.get('event') ?? '',
        id: fields.get('id'),
        data: JSON.parse(fields.get('data') ?? ''),
      });
    }
    wake();
  });
  stream.on('error', () => undefined);
  return {
    all,
    /** The next event of this type that no call has returned yet. */
    next: async (type: string) => {
      const index = nextIndex.get(type) ?? 0;
      nextIndex.set(type, index + 1);
      for (;;) {
        const found = all.filter((event) => event.type === type)[index];
        if (found) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** The state for a page with this URL. */
export const stateAt = async (at: Stage, query = ''): Promise<StudioState> =>
  JSON.parse((await at.request(`/studio/state${query}`)).text);

/** The report in an event. */
export const reportOf = ({ data }: SentEvent): ReportState => data as ReportState;

/** All reports, ordered by number. */
export async function reportsAt(at: Stage): Promise<readonly ReportState[]> {
  const events = await at.events();
  // This event comes after all reports.
  await at.edit(at.file);
  await events.next('changed');
  return events.all.filter(({ type }) => type === 'report').map(reportOf);
}

/** A form with required fields, a honeypot and one output. */
export const contact = `
forms:
  contact:
    title: Write to us
    fields:
      - {name: name, required: true}
      - {name: email, type: email}
    spam: {honeypot: website}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/contact", mapping: "*"}
`;

/** Environment variables that the templates read. */
export const env = {
  SMTP_USERNAME: 'website',
  SMTP_PASSWORD: 'swordfish',
  FORM_TOKEN_SECRET: 'not so secret, but long enough',
  LIST_TOKEN: 'token',
  PUBLIC_URL: 'https://forms.example.com',
};

export const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
/** Submits a form's fields, urlencoded. */
export const send = (at: Stage, body: string, headers: Record<string, string> = {}, form = 'contact') =>
  at.request(`/api/v1/submit/${form}`, { method: 'POST', headers: { ...urlencoded, ...headers }, body });
