import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Plugin } from '@form-relay/core/index';
import type { MakePlugin } from '@form-relay/core/kit';
import { createRelay } from '@form-relay/runtimes/index';

/** A promise, for any runner of tests. `run` rejects with an `AssertionError` if it is not kept. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** What a check needs of the plug-in. */
export interface Tried {
  /** The module's default export. Absent: the relay brings what is tried. */
  readonly plugin?: MakePlugin | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface Trial {
  readonly logged: readonly object[];
  /** Sends a form as a browser does. @param values Names and values. */
  submit(form: string, values: Readonly<Record<string, string>>): Promise<{ status: number; text: string }>;
  /** The form's HTML. */
  html(form: string): Promise<string>;
  /** The names of what a submission passes, in order. */
  steps(form: string): Promise<readonly string[]>;
  /** What outputs of type `kept_here` got, in order. */
  readonly delivered: readonly Readonly<Record<string, readonly string[]>>[];
}

/** Stands for every destination in checks that are not about outputs. */
export const keptHere = { type: 'kept_here', mapping: '*' };

/** Runs the work with a relay that has these forms. @param dryRun As `relay explain` does: nothing leaves the process. */
export async function withRelay(
  { plugin, env = {} }: Tried,
  forms: object,
  work: (trial: Trial) => Promise<void>,
  dryRun = false,
): Promise<void> {
  const logged: object[] = [];
  const delivered: Record<string, readonly string[]>[] = [];
  const probe: Plugin = {
    name: 'kept_here',
    outputs: [
      {
        type: keptHere.type,
        summary: 'Keeps what it gets, for a test.',
        keys: {},
        open: () => ({ send: async ({ payload }) => void delivered.push(Object.fromEntries(payload)) }),
      },
    ],
  };
  const relay = createRelay({
    config: JSON.stringify({ forms }),
    plugins: [probe, ...(plugin ? [plugin] : [])],
    env: { THROTTLE_RATE_LIMIT: '100000', THROTTLE_BURST_LIMIT: '100000', ...env },
    services: {
      log: (level, event, fields) => void logged.push({ level, event, ...fields }),
      ...(dryRun && { http: async () => ({ status: 200, headers: {}, body: '{}' }) }),
    },
    dryRun,
  });
  const loaded = async () => {
    const config = await relay.config.get();
    if (!config) throw new Error(`the config does not load: ${JSON.stringify(logged)}`);
    return config;
  };
  const ask = async (method: string, path: string, body = '') => {
    await loaded();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    // Enough for every try, and little to wait for what hangs.
    const request = { method, path, query: '', headers, body: Buffer.from(body), timeLeftMs: 4_000 };
    const { status, body: text } = await relay.handle(request);
    return { status, text: String(text) };
  };
  try {
    await work({
      logged,
      delivered,
      submit: (form, values) => ask('POST', `/api/v1/submit/${form}`, String(new URLSearchParams(values))),
      html: async (form) => (await ask('GET', `/api/v1/form/${form}`)).text,
      steps: async (form) => (await loaded()).forms.get(form)?.steps ?? [],
    });
  } finally {
    await relay.close();
  }
}

export interface Received {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Runs the work with an HTTP server that answers with this status, or never. */
export async function withServer(
  status: number | 'silent',
  work: (port: number, received: readonly Received[]) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    received.push({
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(pieces).toString('utf8'),
    });
    if (status !== 'silent') response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work((server.address() as AddressInfo).port, received);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
