import { Readable } from 'node:stream';
import { ClientError } from '@form-relay/base/client_error';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { Change, Progress } from '../api.ts';
import type { EntryIndex } from '../entry_index.ts';
import { AuditFailed, isAnswer, type Person } from '../gate.ts';
import { type Beyond, createShares, type Kind } from './about.ts';
import {
  type Answer,
  assetAnswer,
  json,
  mostBytes,
  type Request,
  readBody,
  refusalOf,
  refuse,
  remembered,
  rememberOpening,
  strictHeaders,
} from './answer.ts';
import { createDocuments } from './documents.ts';
import type { InboxOptions } from './options.ts';
import { answerProgram, failureOf, isForPrograms, keyIn, problem, unauthorized } from './read_api.ts';
import { type Api, answerApi, type Body } from './routes.ts';
import { createRuns } from './runs.ts';

/** An answer in the form that the relay's Node server takes. */
interface Sent extends Omit<Answer, 'body'> {
  readonly body: string | Uint8Array | Readable;
}

/** The inbox as a service of the relay's Node server. */
export interface Inbox {
  readonly handle: ((request: RelayRequest, admission?: { readonly refusal?: unknown }) => Promise<Sent>) & {
    admit(): { readonly bodyLimit: number };
  };
  /** Ends event streams. The caller closes the index. */
  close(): void;
}

/** A page needs six connections, and a team, possibly behind one address, has many pages open. */
export const connectionLimits = { connectionLimit: 1_024, clientConnectionLimit: 128 };

/** Serves a file, or runs an action that reads all files of a submission. */
const holdsFiles = /^\/api\/(?:entries|v1\/submissions)\/[^/]+\/(?:files|again$|restore$)/;

/** A larger answer that is not streamed keeps its place until it is sent, because it is in memory. */
const largeBytes = 65_536;

export function createInbox(options: InboxOptions): Inbox {
  const events = createEvents(options);
  let progress: Progress | undefined;
  const stop = options.index.onProgress((now) => {
    progress = now;
  });
  const api: Api = {
    options,
    documents: createDocuments(options.sources, options.unseal),
    progress: () => progress,
    runs: createRuns(options),
  };
  /** Open streams, which end when their person loses the right to read. */
  const open = new Map<Readable, Person>();
  options.access?.accounts.onLoss(() => {
    for (const [stream, { isStill }] of open) if (isStill?.() === false) stream.destroy();
  });
  const shares = createShares(Date.now, (person, limit) => {
    // Refusing must not wait for the disk. If the audit log cannot be written, the owner's log says so.
    options.audit?.(person, 'limited', { limit }).catch(() => {});
  });

  async function serve(request: RelayRequest): Promise<Sent> {
    const refusal = refusalOf(request, options.isOwnHost);
    if (refusal) return sent(refusal);
    if (isForPrograms(request.path)) return serveProgram(request);
    const person = await options.person(request);
    if (isAnswer(person)) return sent(rememberOpening(request, person));
    const opening = remembered(request);
    if (opening) return sent(opening);
    const kind = kindOf(request);
    const leave = await shares.enter(person, kind);
    if (typeof leave === 'string') return sent(tooMuch(leave));
    return within(leave, person, async () => {
      if (kind !== 'streams') return answer(request, person);
      // This check must not count as use, or an open page would keep its session alive.
      const isStill = async () => person.isStill?.() ?? !isAnswer(await options.person(request));
      return events.open(person, isStill);
    });
  }

  async function within(leave: () => void, person: Person, work: () => Promise<Answer>): Promise<Sent> {
    try {
      return sent(await work(), leave, person);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Accepts only a key: neither a cookie nor the rights of a person. */
  async function serveProgram(request: RelayRequest): Promise<Sent> {
    const key = keyIn(request);
    if (typeof key !== 'string') return sent(key);
    const program = options.access?.accounts.program(key);
    if (!program) return sent(unauthorized);
    const leave = await shares.enter(program, kindOf(request));
    if (typeof leave === 'string')
      return sent(
        leave === 'all'
          ? problem(503, 'busy', 'The inbox is busy.', { 'retry-after': '2' })
          : problem(429, 'too_many_requests', 'This key has made too many requests; try again in a minute.', {
              'retry-after': leave === 'pace' ? '60' : '2',
            }),
      );
    return within(leave, program, () => answerProgram(api, program, request)).catch((error: unknown) => {
      if (!(error instanceof AuditFailed)) options.broken(error);
      return sent(failureOf(error));
    });
  }

  async function answer(request: RelayRequest, person: Person): Promise<Answer> {
    const { method, path } = request;
    if (path.startsWith('/api/')) {
      let body: Body = {};
      if (method === 'POST') {
        const read = readBody(request);
        if (!read.ok) return read.error;
        body = read.value;
      }
      return answerApi(api, { request, person, body });
    }
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'only GET is allowed here');
    return assetAnswer(path, options.asset);
  }

  const handle: Inbox['handle'] = async (request, admission) => {
    // Requests in progress already use the memory for bodies.
    if (admission?.refusal) return sent(tooMuch('all'));
    try {
      return await serve(request);
    } catch (error) {
      const expected = statusOf(error);
      if (expected) return sent(refuse(expected, (error as Error).message));
      options.broken(error);
      return sent(refuse(500, 'something went wrong; see the terminal of the inbox'));
    }
  };
  handle.admit = () => ({ bodyLimit: mostBytes });
  return {
    handle,
    close() {
      stop();
      api.runs.close();
      events.close();
    },
  };

  /** @param leave Called when the answer is sent, or the client has disconnected. */
  function sent(
    { status, headers, body, isFixed }: Answer,
    leave: () => void = () => {},
    person?: Person,
  ): Sent {
    const all = { ...strictHeaders, ...headers };
    const isWhole = body instanceof Uint8Array;
    if (typeof body === 'string' || (isWhole && body.length < largeBytes)) {
      leave();
      return { status, headers: all, body, ...(isFixed && { isFixed }) };
    }
    const stream = body instanceof Readable ? body : Readable.from(isWhole ? [body] : body);
    if (person) open.set(stream, person);
    stream.once('error', options.broken).once('close', () => {
      open.delete(stream);
      leave();
    });
    return {
      status,
      headers: isWhole ? { ...all, 'content-length': String(body.byteLength) } : all,
      body: stream,
    };
  }
}

function kindOf({ method, path }: Request): Kind {
  if (method === 'GET' && path === '/api/events') return 'streams';
  if (path === '/api/summary') return 'summaries';
  if (path === '/api/export' || path === '/api/person/export' || path === '/api/v1/export') return 'exports';
  return holdsFiles.test(path) ? 'files' : 'requests';
}

const tooMuch = (limit: Beyond): Answer =>
  json({ error: beyondWords[limit] }, limit === 'all' ? 503 : 429, { 'retry-after': '2' });

const beyondWords: Readonly<Record<Beyond, string>> = {
  streams: 'you have too many pages of this inbox open; close some',
  exports: 'a download is already running; try again when it has finished',
  summaries: 'a summary is already running; try again in a moment',
  files: 'too many files at once; try again in a moment',
  requests: 'too many requests at once; try again in a moment',
  pace: 'you have made too many requests; try again in a minute',
  all: 'the inbox is busy; try again in a moment',
};

/** The status of an error whose message is meant for the user. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof AuditFailed) return 503;
  return error instanceof ClientError ? 502 : undefined;
}

/** The most bytes buffered for a page that does not read. Beyond that, the page must reconnect. */
const mostUnreadBytes = 262_144;
/** How often an idle stream sends a heartbeat, and checks that its person is still signed in. */
const beatMs = 15_000;

/** Event streams of changes. */
function createEvents({ index, learner }: Pick<InboxOptions, 'index' | 'learner'>) {
  const streams = new Set<Readable>();
  return {
    /** @param isStill Whether the person is still signed in with these rights. */
    open(person: Person, isStill: () => Promise<boolean>): Answer {
      const body = new Readable({ read: () => {} });
      streams.add(body);
      body.push('retry: 1000\n\n');
      const send = (text: string) => {
        if (body.readableLength > mostUnreadBytes) body.destroy();
        else body.push(text);
      };
      const sendIfStill = async (text: () => Promise<string | undefined> | string) => {
        try {
          if (!(await isStill())) return void body.push(null);
          const now = await text();
          if (now !== undefined) send(now);
        } catch {
          body.destroy();
        }
      };
      const seen = viewOf(person, index);
      void seen({ version: 0, total: 0, unread: 0 }).catch(() => {});
      const stops = [
        index.onChange(
          (change) =>
            void sendIfStill(async () => {
              const own = await seen(change);
              return own && event('change', own);
            }),
        ),
        index.onProgress((progress) => {
          // The total would reveal forms that the person may not see.
          if (person.forms === undefined) void sendIfStill(() => event('progress', progress ?? null));
        }),
        ...(learner ? [learner.onChange(() => void sendIfStill(() => event('learning', null)))] : []),
      ];
      const beat = setInterval(() => void sendIfStill(() => ':\n\n'), beatMs);
      beat.unref();
      body.once('close', () => {
        streams.delete(body);
        clearInterval(beat);
        for (const stop of stops) stop();
      });
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
    },
    close(): void {
      for (const one of streams) one.destroy();
    },
  };
}

const event = (type: 'change' | 'progress' | 'learning', data: Change | Progress | null) =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Limits changes to forms that the person may see, with counts; `undefined` if no such form changed. */
function viewOf({ forms }: Person, index: EntryIndex) {
  let last = '';
  return async (change: Change): Promise<Change | undefined> => {
    if (forms === undefined) return change;
    const own = (await index.forms()).filter(({ id }) => forms.has(id));
    const now = own.map(({ id, print, total }) => `${id} ${print} ${total}`).join('\n');
    if (now === last) return undefined;
    last = now;
    const sum = (of: 'total' | 'unread') => own.reduce((all, one) => all + one[of], 0);
    return { version: change.version, total: sum('total'), unread: sum('unread') };
  };
}
