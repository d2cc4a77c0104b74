/** The tools that check a promise: a running product, the sinks it delivers to, and a mark that no other submission has. */
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
import { controlIn, wrongFieldsIn } from './markup.ts';
import type { HttpSink, Post } from './sinks/http_sink.ts';
import type { Mail, SmtpSink } from './sinks/smtp_sink.ts';

/** Names and values in the order to be sent, or the body as it is to be sent. */
type Sent = Readonly<Record<string, string>> | readonly (readonly [string, string])[] | string | Buffer;

type Headers = Readonly<Record<string, string>>;

/** A delivery of either kind. */
export interface Arrived {
  /** The names and values of a post, the text of a mail. */
  readonly text: string;
  readonly post?: Post;
  readonly mail?: Mail;
}

/** State that the trials of one product share. */
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

/** Checks one promise. Its methods throw a `Broken` if the product does not keep it. */
export class Trial {
  /** A text that no other submission has: letters and digits, in lower case. */
  readonly mark = `mark${randomBytes(8).toString('hex')}x`;
  /** A submission that the form `contact` takes. */
  readonly values: Readonly<Record<string, string>> = {
    name: this.mark,
    email: 'ann@visitor.test',
    message: 'Hello',
    page: 'start',
  };
  readonly target: string;
  readonly origin: URL;
  readonly patienceMs: number;
  readonly startWith: World['startWith'];
  readonly paths: Required<NonNullable<Adapter['paths']>>;
  /** The last request and its answer, as evidence. */
  last: { request: string; came: string } | undefined;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.target = world.target;
    this.origin = world.url;
    this.patienceMs = world.patienceMs;
    this.startWith = world.startWith;
    this.paths = {
      submit: (form) => `/api/v1/submit/${form}`,
      form: (form) => `/api/v1/form/${form}`,
      token: (form) => `/api/v1/token/${form}`,
      ...world.adapter.paths,
    };
  }

  offers(feature: Feature): boolean {
    return (this.#world.adapter.offers ?? features).includes(feature);
  }

  async request(asked: Request): Promise<Answer> {
    const { url, patienceMs } = this.#world;
    const shown = showRequest(asked);
    this.last = { request: shown, came: 'no answer' };
    for (let tries = 0; ; tries += 1) {
      const answer = await send(url, asked, patienceMs).catch((error: NodeJS.ErrnoException) => {
        const why =
          error.name === 'AbortError' ? `none within ${patienceMs / 1_000} s` : (error.code ?? error.message);
        throw new Broken('an answer', `no answer (${why})`, shown);
      });
      this.last = { request: shown, came: showAnswer(answer) };
      // Without forms of its own the suite is a guest, and waits when it is told to.
      const isGuest = this.#world.asked === undefined;
      if (answer.status !== 429 || !isGuest || tries === 5) return answer;
      await pause(1_000 * Math.min(10, Number(answer.headers['retry-after']) || 1));
    }
  }

  submit(form: FormName | (string & {}), values: Sent = {}, headers: Headers = {}): Promise<Answer> {
    return this.request({
      method: 'POST',
      path: this.paths.submit(form),
      headers: { 'content-type': urlencoded, ...headers },
      body: typeof values === 'string' || Buffer.isBuffer(values) ? values : encode(values),
    });
  }

  getForm(form: string, query = '', headers: Headers = {}): Promise<Answer> {
    return this.request({ method: 'GET', path: this.paths.form(form) + query, headers });
  }

  getToken(form: string): Promise<Answer> {
    return this.request({ method: 'GET', path: this.paths.token(form) });
  }

  must(isKept: boolean, expected: string, came = this.last?.came ?? 'nothing'): void {
    if (!isKept) throw new Broken(expected, came);
  }

  status(answer: Answer, ...wanted: readonly number[]): void {
    this.must(wanted.includes(answer.status), `status ${wanted.join(' or ')}`, showAnswer(answer));
  }

  isTaken(answer: Answer): boolean {
    return this.#world.adapter.isTaken?.(answer) ?? (answer.status >= 200 && answer.status < 400);
  }

  taken(answer: Answer): void {
    this.must(this.isTaken(answer), 'the submission is taken', showAnswer(answer));
  }

  refused(answer: Answer): void {
    this.must(!this.isTaken(answer), 'the submission is refused', showAnswer(answer));
  }

  /** The deliveries of this trial so far. */
  arrived(): readonly Arrived[] {
    const { sinks } = this.#world;
    const posts = (sinks?.http.posts ?? [])
      .filter(({ path, answered }) => answered < 400 && !path.startsWith('/captcha'))
      .map((post) => ({ post, text: post.values.map(([name, value]) => `${name}=${value}`).join('\n') }));
    const mails = (sinks?.smtp.mails ?? []).map((mail) => ({ mail, text: mail.letter.text }));
    return [...posts, ...mails].filter(
      ({ text, ...one }) =>
        text.includes(this.mark) || ('mail' in one && one.mail.letter.source.includes(this.mark)),
    );
  }

  posts(): readonly Post[] {
    return this.arrived().flatMap(({ post }) => post ?? []);
  }

  mails(): readonly Mail[] {
    return this.arrived().flatMap(({ mail }) => mail ?? []);
  }

  /** All posts to the sinks, taken or not: failed tries and captcha questions too. */
  tries(): readonly Post[] {
    const posts = this.#world.sinks?.http.posts ?? [];
    return posts.filter(({ values }) => values.some(([, value]) => value.includes(this.mark)));
  }

  /** Looks now, and again after all promises were tried. */
  untilTheEnd(look: () => void): void {
    look();
    this.#world.afterwards(look);
  }

  /** Waits for this number of deliveries. At the end of the run there must be no more. */
  async delivered(count: number): Promise<readonly Arrived[]> {
    const shown = this.last?.request;
    const until = performance.now() + this.patienceMs;
    while (this.arrived().length < count && performance.now() < until) await pause(10);
    this.untilTheEnd(() => {
      const came = this.arrived().length;
      if (this.#world.sinks && came !== count)
        throw new Broken(`${count} delivered`, `${came} delivered`, shown);
    });
    return this.arrived();
  }

  /** The product must deliver nothing of this trial, now and until the end of the run. */
  undelivered(): Promise<unknown> {
    return this.delivered(0);
  }

  /** Submits values that the product must take and deliver once. */
  async arrives(...submission: Parameters<Trial['submit']>): Promise<Arrived | undefined> {
    this.taken(await this.submit(...submission));
    return (await this.delivered(1))[0];
  }

  token(answer: Answer, field = '_ts'): string {
    const { adapter } = this.#world;
    const token = adapter.tokenIn ? adapter.tokenIn(answer, field) : controlIn(answer.text, field)?.value;
    this.must(token !== undefined && token !== '', `a token in ${field}`, showAnswer(answer));
    return token ?? '';
  }

  wrongFields(answer: Answer): readonly string[] {
    return this.#world.adapter.wrongFields?.(answer) ?? wrongFieldsIn(answer.text);
  }

  /** A connection of its own. */
  async connect(patienceMs = this.patienceMs, request = 'a connection'): Promise<Wire> {
    this.last = { request, came: 'no connection' };
    const wire = connect(this.origin, patienceMs);
    // An unreachable product keeps no promise.
    await wire.connected.catch(() => this.must(false, 'a connection'));
    return wire;
  }

  /** Writes bytes, given as Latin-1, and reads the answers until the connection ends. */
  async wire(
    bytes: string | Buffer,
    patienceMs = Math.min(this.patienceMs, 3_000),
  ): Promise<readonly Answer[]> {
    const written = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    const request = short(written.toString('latin1'));
    const wire = await this.connect(patienceMs, request);
    wire.socket.write(written);
    await wire.ended;
    const answers = answersIn(wire.received());
    this.last = { request, came: answers.length === 0 ? 'no answer' : answers.map(showAnswer).join(' and ') };
    return answers;
  }

  /** Runs the product's command line, with a config of these forms. */
  run(forms: Asked['forms'], ...words: string[]): Promise<Finished> {
    const { adapter, asked } = this.#world;
    if (!adapter.run || !asked) throw new Error('the adapter runs no command');
    return adapter.run(words, { ...asked, forms });
  }
}

// URLSearchParams takes pairs as well as a record, but its types refuse pairs that are readonly.
export const encode = (values: Exclude<Sent, string | Buffer>): string =>
  new URLSearchParams(values as Record<string, string>).toString();

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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
