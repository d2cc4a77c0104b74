import * as v from 'valibot';
import type { HttpAnswer, HttpRequest } from '../../../packages/core/src/services.ts';

/** A stub of a third-party service: accepts what its documentation allows, and refuses the rest. */
export type Service = ReturnType<typeof service>;

interface Rules {
  readonly host: RegExp;
  /** Includes the query. */
  readonly path: RegExp;
  readonly method?: 'POST' | 'PUT' | 'PATCH';
  /** Names in lower case. The first authenticates the client. */
  readonly headers?: Readonly<Record<string, RegExp>>;
  /** Default: JSON. */
  readonly contentType?: string;
  /** The schema of the JSON, or of the pairs with their values. */
  readonly body: v.GenericSchema;
  readonly taken: Answer;
  /** The service's error body. */
  readonly error: (status: number, code: string) => unknown;
  readonly unauthorized?: Refusal;
  readonly malformed: Refusal;
  readonly elsewhere?: Refusal;
}

interface Answer {
  readonly status: number;
  readonly headers?: HttpAnswer['headers'];
  readonly body?: unknown;
}
type Refusal = readonly [status: number, code: string];

export function service(rules: Rules) {
  const { host, path, method = 'POST', headers = {}, contentType = 'application/json', body, taken } = rules;
  const refuse = (status: number, code: string) => answer({ status, body: rules.error(status, code) });
  const [owner, ...others] = Object.entries(headers);
  const lacks = (request: HttpRequest, [name, value]: readonly [string, RegExp]) =>
    !value.test(request.headers[name] ?? '');
  return {
    isAt: (url: URL) => {
      if (!host.test(url.host)) return undefined;
      return path.test(url.pathname + url.search) ? 'here' : 'at this host';
    },
    /** A documented refusal, with an error code if the service has them. */
    refuse,
    take: (request: HttpRequest) => {
      if ((request.method ?? 'POST') !== method || !path.test(request.url.pathname + request.url.search))
        return refuse(...(rules.elsewhere ?? [404, '']));
      if (owner && lacks(request, owner)) return refuse(...(rules.unauthorized ?? [401, '']));
      if (others.some((one) => lacks(request, one))) return refuse(...rules.malformed);
      if (request.headers['content-type'] !== contentType) return refuse(...rules.malformed);
      return v.is(body, parsed(request.body, contentType)) ? answer(taken) : refuse(...rules.malformed);
    },
  };
}

const answer = ({ status, headers = {}, body = '' }: Answer): HttpAnswer => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

function parsed(body: string, contentType: string): unknown {
  if (contentType.includes('json')) {
    try {
      return JSON.parse(body);
    } catch {
      return undefined;
    }
  }
  const pairs = new URLSearchParams(body);
  return Object.fromEntries([...new Set(pairs.keys())].map((name) => [name, pairs.getAll(name)]));
}

/** Non-empty text within the service's limit. */
export const filled = (most = 100_000) => v.pipe(v.string(), v.minLength(1), v.maxLength(most));
/** Single-line text, such as a title. */
export const line = (most = 255) => v.pipe(filled(most), v.regex(/^[^\r\n]*$/));
/** A mailbox address. */
export const mailbox = () => v.pipe(v.string(), v.regex(/^[^\s@<>]+@[^\s@<>]+$/));
/** The same with a name before it. */
export const sender = () =>
  v.pipe(v.string(), v.regex(/^([^\s@<>]+@[^\s@<>]+|[^<>\r\n]+ <[^\s@<>]+@[^\s@<>]+>)$/));
/** Markdown in which no line written by a visitor has an effect. */
export const onlyOurMarkdown = (ours: RegExp) =>
  v.pipe(
    filled(),
    v.check((text) =>
      text.split(/\r\n?|\n/).every((one, index, lines) => {
        if (one === '' || ours.test(one)) return true;
        // An indented block needs an empty line before it.
        const before = lines.slice(0, index).findLast((other) => !other.startsWith('    '));
        return one.startsWith('    ') && before === '';
      }),
    ),
  );
