/** What a promise is checked with: a product that runs, the sinks it delivers to, and a mark that no other submission has. */
import { randomBytes } from 'node:crypto';
import {
  type Adapter,
  type Asked,
  type Feature,
  type Finished,
  type FormDeclared,
  features,
} from './adapter.ts';
import { type Answer, answersIn } from './answer.ts';
import { Broken } from './broken.ts';
import { connect, type Request, send, type Wire } from './client.ts';
import type { FormName } from './forms.ts';
import type { HttpSink, Post } from './sinks/http_sink.ts';
import type { Mail, SmtpSink } from './sinks/smtp_sink.ts';

/** Names and values in the order to be sent, or the body as it is to be sent. */
type Sent = Readonly<Record<string, string>> | readonly (readonly [string, string])[] | string | Buffer;

type Headers = Readonly<Record<string, string>>;

/** One delivery, by whatever way it came. */
export interface Arrived {
  /** The names and values of a post, the text of a mail. */
  readonly text: string;
  readonly post?: Post;
  readonly mail?: Mail;
}

/** What trials of one product share. */
export interface World {
  readonly adapter: Adapter;
  readonly url: URL;
  readonly sinks?: { readonly http: HttpSink; readonly smtp: SmtpSink };
  /** The form that posts and wires go to. */
  readonly target: string;
  /** How long an answer, a delivery or the end of a connection may take, in milliseconds. */
  readonly patienceMs: number;
  /** Starts the product with these forms, and ends it; `undefined` when it refuses to start. */
  readonly startWith: <T>(
    forms: Readonly<Record<string, FormDeclared>>,
    look: (url: URL) => Promise<T>,
  ) => Promise<T | undefined>;
  readonly asked?: Asked;
  /** Runs when all promises were checked, and throws a `Broken`. */
  readonly afterwards: (check: () => void) => void;
}

export const urlencoded = 'application/x-www-form-urlencoded';

/** A text that stands in no other submission: letters and digits, in lower case. */
const newMark = () => `mark${randomBytes(8).toString('hex')}x`;

export type Trial = ReturnType<typeof createTrial>;

export function createTrial(world: World) {
  const { adapter, url, sinks, target, patienceMs } = world;
  const mark = newMark();
  const offers = new Set<Feature>(adapter.offers ?? features);
  let last: { request: string; came: string } | undefined;

  const paths = {
    submit: (form: string) => `/api/v1/submit/${form}`,
    form: (form: string) => `/api/v1/form/${form}`,
    token: (form: string) => `/api/v1/token/${form}`,
    ...adapter.paths,
  };

  async function request(asked: Request): Promise<Answer> {
    const shown = showRequest(asked);
    last = { request: shown, came: 'no answer' };
    for (let tries = 0; ; tries += 1) {
      const answer = await send(url, asked, patienceMs).catch((error: NodeJS.ErrnoException) => {
        const why =
          error.name === 'AbortError' ? `none within ${patienceMs / 1_000} s` : (error.code ?? error.message);
        throw new Broken('an answer', `no answer (${why})`, shown);
      });
      last = { request: shown, came: showAnswer(answer) };
      // Without forms of its own the suite is a guest, and waits when it is told to.
      const isGuest = world.asked === undefined;
      if (answer.status !== 429 || !isGuest || tries === 5) return answer;
      await pause(1_000 * Math.min(10, Number(answer.headers['retry-after']) || 1));
    }
  }

  const submit = (
    form: FormName | (string & {}),
    values: Sent = {},
    headers: Headers = {},
  ): Promise<Answer> =>
    request({
      method: 'POST',
      path: paths.submit(form),
      headers: { 'content-type': urlencoded, ...headers },
      body: typeof values === 'string' || Buffer.isBuffer(values) ? values : encode(values),
    });

  const arrived = (): readonly Arrived[] => {
    const posts = (sinks?.http.posts ?? [])
      .filter(({ path, answered }) => answered < 400 && !path.startsWith('/captcha'))
      .map((post) => ({ post, text: post.values.map(([name, value]) => `${name}=${value}`).join('\n') }));
    const mails = (sinks?.smtp.mails ?? []).map((mail) => ({ mail, text: mail.letter.text }));
    return [...posts, ...mails].filter(
      ({ text, ...one }) => text.includes(mark) || ('mail' in one && one.mail.letter.source.includes(mark)),
    );
  };

  const must = (isKept: boolean, expected: string, came = last?.came ?? 'nothing'): void => {
    if (!isKept) throw new Broken(expected, came);
  };

  /** Looks now, and again when all promises were tried. */
  const untilTheEnd = (look: () => void): void => {
    look();
    world.afterwards(look);
  };

  /** Waits until so many deliveries of this trial came, and looks again at the end whether it was no more. */
  async function delivered(count: number): Promise<readonly Arrived[]> {
    const shown = last?.request;
    const expected = `${count} delivered`;
    const until = performance.now() + patienceMs;
    while (arrived().length < count && performance.now() < until) await pause(10);
    const look = () => {
      const came = arrived().length;
      if (sinks && came !== count) throw new Broken(expected, `${came} delivered`, shown);
    };
    untilTheEnd(look);
    return arrived();
  }

  const self = {
    mark,
    target,
    paths,
    offers: (feature: Feature) => offers.has(feature),
    origin: url,
    patienceMs,
    startWith: world.startWith,
    request,
    submit,
    /** A submission that the form `contact` takes. */
    values: { name: mark, email: 'ann@visitor.test', message: 'Hello', page: 'start' } as Readonly<
      Record<string, string>
    >,
    getForm: (form: string, query = '', headers: Headers = {}) =>
      request({ method: 'GET', path: paths.form(form) + query, headers }),
    getToken: (form: string) => request({ method: 'GET', path: paths.token(form) }),
    must,
    status: (answer: Answer, ...wanted: readonly number[]) =>
      must(wanted.includes(answer.status), `status ${wanted.join(' or ')}`, showAnswer(answer)),
    taken: (answer: Answer) => must(isTaken(adapter, answer), 'the submission is taken', showAnswer(answer)),
    refused: (answer: Answer) =>
      must(!isTaken(adapter, answer), 'the submission is refused', showAnswer(answer)),
    isTaken: (answer: Answer) => isTaken(adapter, answer),
    arrived,
    untilTheEnd,
    delivered,
    /** Nothing of this trial is delivered, now and until the end. */
    undelivered: () => delivered(0),
    posts: () => arrived().flatMap(({ post }) => post ?? []),
    mails: () => arrived().flatMap(({ mail }) => mail ?? []),
    /** What the sinks were posted whether or not they took it: failed tries and captcha questions too. */
    tries: () =>
      (sinks?.http.posts ?? []).filter(({ values }) => values.some(([, value]) => value.includes(mark))),
    token: (answer: Answer, field = '_ts') => {
      const token = adapter.tokenIn ? adapter.tokenIn(answer, field) : controlIn(answer.text, field)?.value;
      must(token !== undefined && token !== '', `a token in ${field}`, showAnswer(answer));
      return token ?? '';
    },
    wrongFields: (answer: Answer) => adapter.wrongFields?.(answer) ?? wrongFieldsIn(answer.text),
    /** A connection of one's own. */
    async connect(): Promise<Wire> {
      const wire = connect(url, patienceMs);
      last = { request: 'a connection', came: 'none' };
      // Nobody keeps a promise by not being there.
      await wire.connected.catch(() => must(false, 'a connection'));
      return wire;
    },
    /** Writes bytes, one a character, and reads what comes until the connection ends. */
    async wire(bytes: string | Buffer, patience = Math.min(patienceMs, 3_000)): Promise<readonly Answer[]> {
      const wire = connect(url, patience);
      last = {
        request: showBytes(typeof bytes === 'string' ? bytes : bytes.toString('latin1')),
        came: 'no connection',
      };
      await wire.connected.catch(() => must(false, 'a connection'));
      wire.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      await wire.ended;
      const answers = answersIn(wire.received());
      last = {
        request: showBytes(typeof bytes === 'string' ? bytes : bytes.toString('latin1')),
        came: answers.length === 0 ? 'no answer' : answers.map(showAnswer).join(' and '),
      };
      return answers;
    },
    run: (...words: string[]): Promise<Finished> => {
      if (!adapter.run || !world.asked) throw new Error('the adapter runs no command');
      return adapter.run(words, world.asked);
    },
    runWith: (forms: Readonly<Record<string, FormDeclared>>, ...words: string[]): Promise<Finished> => {
      if (!adapter.run || !world.asked) throw new Error('the adapter runs no command');
      return adapter.run(words, { ...world.asked, forms });
    },
    last: () => last,
  };
  return self;
}

const isTaken = (adapter: Adapter, answer: Answer): boolean =>
  adapter.isTaken?.(answer) ?? (answer.status >= 200 && answer.status < 400);

export const encode = (values: Exclude<Sent, string | Buffer>): string => {
  const pairs: readonly (readonly [string, string])[] = isPairs(values) ? values : Object.entries(values);
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
};

const isPairs = (values: Exclude<Sent, string | Buffer>): values is readonly (readonly [string, string])[] =>
  Array.isArray(values);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Control {
  readonly tag: string;
  readonly value: string | undefined;
}

/** The control of a name in some markup, its value unescaped. */
export function controlIn(markup: string, name: string): (Control & Attributes) | undefined {
  return tagsIn(markup).find(
    (one) => one.attributes.name === name && /^(input|textarea|select)$/.test(one.tag),
  );
}

interface Attributes {
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

/** Every start tag, in order. `value`: of an `input` its attribute, of a `textarea` its text. */
export const tagsIn = (markup: string): readonly (Control & Attributes)[] =>
  [
    ...markup.matchAll(
      /<([a-z][a-z0-9]*)((?:\s+[^\s=>/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?)*)\s*\/?>/gi,
    ),
  ].map(({ 0: whole, 1: tag = '', 2: rest = '', index }) => {
    const pairs = [...rest.matchAll(/([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g)].map(
      ([, name = '', double, single, bare]) =>
        [name.toLowerCase(), unescaped(double ?? single ?? bare ?? '')] as const,
    );
    const attributes: Readonly<Record<string, string>> = Object.assign(
      Object.create(null),
      Object.fromEntries(pairs),
    );
    const after = markup.slice(index + whole.length);
    const text = unescaped(after.slice(0, after.search(/<\/textarea>|$/i)).replace(/^\n/, ''));
    return {
      tag: tag.toLowerCase(),
      attributes,
      value: tag.toLowerCase() === 'textarea' ? text : attributes.value,
    };
  });

const wrongFieldsIn = (markup: string): readonly string[] =>
  tagsIn(markup).flatMap(({ attributes }) =>
    attributes['aria-invalid'] === 'true' && attributes.name ? [attributes.name] : [],
  );

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, code, hex, name) => {
    if (code !== undefined || hex !== undefined)
      return String.fromCodePoint(code === undefined ? Number.parseInt(hex, 16) : Number(code));
    return named[name] ?? whole;
  });

/** The longest text of evidence. */
const most = 200;

const short = (text: string) =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;

function showRequest({ method, path, headers = {}, body }: Request): string {
  const shown = Object.entries(headers).filter(
    ([name, value]) => value !== urlencoded || name !== 'content-type',
  );
  const words = shown.map(([name, value]) => ` [${name}: ${short(value)}]`).join('');
  const text = body === undefined ? '' : ` ${short(body.toString('latin1'))}`;
  return `${method} ${short(path)}${words}${text}`;
}

export const showAnswer = ({ status, text }: Answer): string => `${status} ${short(text)}`.trim();

const showBytes = (bytes: string) => short(bytes);
