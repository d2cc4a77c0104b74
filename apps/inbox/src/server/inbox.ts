import { Readable } from 'node:stream';
import { ClientError } from '@form-relay/base/client_error';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { Progress } from '../api.ts';
import { AuditFailed, isAnswer, type Person } from '../gate.ts';
import { type Beyond, createShares, type Kind } from './about.ts';
import {
  type Answer,
  assetAnswer,
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
import { createEvents } from './events.ts';
import type { InboxOptions } from './options.ts';
import { answerProgram, failureOf, isForPrograms, keyIn, problem, unauthorized } from './read_api.ts';
import { type Api, answerApi, type Body } from './routes.ts';
import { createRuns } from './runs.ts';

/** An answer for the relay's Node server. */
interface Sent extends Omit<Answer, 'body'> {
  readonly body: string | Uint8Array | Readable;
}

/** The inbox, served by the relay's Node server. */
export interface Inbox {
  /** Never rejects. */
  readonly handle: ((request: RelayRequest, admission?: { readonly refusal?: unknown }) => Promise<Sent>) & {
    admit(): { readonly bodyLimit: number };
  };
  /** Ends the streams of events. The index stays the caller's. */
  close(): void;
}

/** A page needs six connections, and a team has many pages open; an office behind one address, too. */
export const connectionLimits = { connectionLimit: 1_024, clientConnectionLimit: 128 };

/** Answers with a file, and actions that read all files of a submission. */
const holdsFiles = /^\/api\/(?:entries|v1\/submissions)\/[^/]+\/(?:files|again$|restore$)/;

/** A larger answer in one piece keeps its place until it is sent, since it is in memory. */
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
  /** Answers that are sent piece by piece, which end with the rights of their person. */
  const open = new Map<Readable, Person>();
  options.access?.accounts.onLoss(() => {
    for (const [stream, { isStill }] of open) if (isStill?.() === false) stream.destroy();
  });
  const shares = createShares(Date.now, (person, limit) => {
    // Refusing must not wait for the disk; a log that cannot be written is in the owner's log.
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
    try {
      if (kind !== 'streams') return sent(await answer(request, person), leave, person);
      // A look is no use of a session, which an open page would keep from ending.
      const isStill = async () => person.isStill?.() ?? !isAnswer(await options.person(request));
      return sent(events.open(person, isStill), leave, person);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Never by a cookie, and never with the rights of a person. */
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
    try {
      return sent(await answerProgram(api, program, request), leave, program);
    } catch (error) {
      leave();
      if (!(error instanceof AuditFailed)) options.broken(error);
      return sent(failureOf(error));
    }
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
    // No memory is left for this body beside those on their way.
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

  /** @param leave Called once the answer is sent, or its client has left. */
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

const tooMuch = (limit: Beyond): Answer => ({
  ...refuse(limit === 'all' ? 503 : 429, beyondWords[limit]),
  headers: { 'content-type': 'application/json; charset=utf-8', 'retry-after': '2' },
});

const beyondWords: Readonly<Record<Beyond, string>> = {
  streams: 'you have too many pages of this inbox open; close some',
  exports: 'a download is already running; try again when it has finished',
  summaries: 'a summary is already running; try again in a moment',
  files: 'too many files at once; try again in a moment',
  requests: 'too many requests at once; try again in a moment',
  pace: 'you have made too many requests; try again in a minute',
  all: 'the inbox is busy; try again in a moment',
};

/** The status of an error that tells people in words what failed. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof AuditFailed) return 503;
  return error instanceof ClientError ? 502 : undefined;
}
