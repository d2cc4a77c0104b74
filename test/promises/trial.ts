/** Tools for checking a promise: a running product, the sinks it delivers to, and a unique mark. */
import { randomBytes } from 'node:crypto';
import {
  type Adapter,
  type Feature,
  type Finished,
  type FormDeclared,
  features,
  type ProductConfig,
} from './adapter.ts';
import { type Answer, answersIn, connect, type Request, send, type Wire } from './client.ts';
import type { FormName } from './forms.ts';
import type { HttpSink, Post } from './http_sink.ts';
import { controlIn } from './markup.ts';
import { Broken } from './promise.ts';
import type { Mail, SmtpSink } from './smtp_sink.ts';

/** Names and values in order, or the raw body. */
type Sent = Readonly<Record<string, string>> | readonly (readonly [string, string])[] | string | Buffer;

type Headers = Readonly<Record<string, string>>;

/** A delivery of either kind. */
export interface Arrived {
  /** A POST's names and values, or a mail's text. */
  readonly text: string;
  readonly post?: Post;
  readonly mail?: Mail;
}

/** State shared by the trials of one product. */
export interface World {
  readonly adapter: Adapter;
  readonly url: URL;
  readonly config: ProductConfig;
  readonly http: HttpSink;
  readonly smtp: SmtpSink;
  /** How long an answer, a delivery or the end of a connection may take, in milliseconds. */
  readonly patienceMs: number;
  /** Starts the product with these forms, and stops it afterwards; `undefined` if it refuses to start. */
  readonly startWith: <T>(
    forms: Readonly<Record<string, FormDeclared>>,
    look: (url: URL) => Promise<T>,
  ) => Promise<T | undefined>;
  /** Runs after all promises were checked, and may throw a `Broken`. */
  readonly afterwards: (check: () => void) => void;
}

export const urlencoded = 'application/x-www-form-urlencoded';

/** Checks one promise. All methods throw a `Broken` if the product does not keep the promise. */
export class Trial {
  /** A unique text of lower-case letters and digits. */
  readonly mark = `mark${randomBytes(8).toString('hex')}x`;
  /** A submission that the form `contact` accepts. */
  readonly values: Readonly<Record<string, string>> = {
    name: this.mark,
    email: 'ann@visitor.test',
    message: 'Hello',
    page: 'start',
  };
  readonly origin: URL;
  readonly patienceMs: number;
  readonly startWith: World['startWith'];
  readonly paths: Required<NonNullable<Adapter['paths']>>;
  readonly #world: World;
  /** The last request and its answer, as evidence. */
  #last = { request: 'none', came: 'nothing' };

  constructor(world: World) {
    this.#world = world;
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

  async request(request: Request): Promise<Answer> {
    const { url, patienceMs } = this.#world;
    this.#last = { request: requestText(request), came: 'no answer' };
    const answer = await send(url, request, patienceMs).catch((error: NodeJS.ErrnoException) => {
      throw new Broken('an answer', `none (${error.code ?? error.message})`, requestText(request));
    });
    this.#last = { request: requestText(request), came: answerText(answer) };
    return answer;
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

  must(isKept: boolean, expected: string, came = this.#last.came): void {
    if (!isKept) throw new Broken(expected, came, this.#last.request);
  }

  /** Compares both as text. */
  is(came: unknown, expected: unknown): void {
    this.must(String(came) === String(expected), String(expected), String(came));
  }

  matches(came: string | undefined, pattern: RegExp): void {
    this.must(pattern.test(came ?? ''), String(pattern), came ?? 'nothing');
  }

  has(came: string | undefined, part: string): void {
    this.must(came?.includes(part) === true, part, came ?? 'nothing');
  }

  lacks(came: string | undefined, part: string): void {
    this.must(came?.includes(part) === false, `no ${part}`, came ?? 'nothing');
  }

  /**
   * The fastest of up to five attempts must take no longer than this, because a single attempt says little on
   * a busy machine. Returns how many it took.
   */
  async within(mostMs: number, attempt: () => Promise<unknown>): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      const startedAt = performance.now();
      await attempt();
      const tookMs = performance.now() - startedAt;
      if (tookMs < mostMs) return tries;
      this.must(tries < 5, `an answer within ${mostMs} ms`, `${Math.round(tookMs)} ms`);
    }
  }

  status(answer: Answer, ...wanted: readonly number[]): void {
    this.must(wanted.includes(answer.status), `status ${wanted.join(' or ')}`, answerText(answer));
  }

  isTaken(answer: Answer): boolean {
    return this.#world.adapter.isTaken?.(answer) ?? (answer.status >= 200 && answer.status < 400);
  }

  taken(answer: Answer): void {
    this.must(this.isTaken(answer), 'the submission is accepted', answerText(answer));
  }

  /** This trial's deliveries so far. */
  arrived(): readonly Arrived[] {
    const { http, smtp } = this.#world;
    const posts = http.posts
      .filter(({ path, answered }) => answered < 400 && !path.startsWith('/captcha'))
      .map((post) => ({ post, text: post.values.map(([name, value]) => `${name}=${value}`).join('\n') }))
      .filter(({ text }) => text.includes(this.mark));
    const mails = smtp.mails
      .map((mail) => ({ mail, text: mail.text }))
      .filter(({ mail, text }) => text.includes(this.mark) || mail.source.includes(this.mark));
    return [...posts, ...mails];
  }

  posts(): readonly Post[] {
    return this.arrived().flatMap(({ post }) => post ?? []);
  }

  mails(): readonly Mail[] {
    return this.arrived().flatMap(({ mail }) => mail ?? []);
  }

  /** All POSTs to the sinks, accepted or not, including failed attempts and captcha requests. */
  tries(): readonly Post[] {
    return this.#world.http.posts.filter(({ values }) =>
      values.some(([, value]) => value.includes(this.mark)),
    );
  }

  /** Checks now, and again after all promises were tested. */
  untilTheEnd(look: () => void): void {
    look();
    this.#world.afterwards(look);
  }

  /** Waits for this number of deliveries. There must be no more by the end, unless `mayBeMore`. */
  async delivered(count: number, mayBeMore = false): Promise<readonly Arrived[]> {
    const { request } = this.#last;
    const until = performance.now() + this.patienceMs;
    while (this.arrived().length < count && performance.now() < until) await pause(10);
    this.untilTheEnd(() => {
      const came = this.arrived().length;
      if (mayBeMore ? came < count : came !== count)
        throw new Broken(`${count} delivered`, `${came} delivered`, request);
    });
    return this.arrived();
  }

  /** The product must deliver nothing of this trial, now or until the end of the run. */
  undelivered(): Promise<unknown> {
    return this.delivered(0);
  }

  /** Submits values that the product must accept and deliver once. */
  async arrives(...submission: Parameters<Trial['submit']>): Promise<Arrived | undefined> {
    this.taken(await this.submit(...submission));
    return (await this.delivered(1))[0];
  }

  token({ text }: Answer, field = '_ts'): string {
    const token = controlIn(text, field)?.value ?? '';
    this.must(token !== '', `a token in ${field}`);
    return token;
  }

  /** Opens a new connection. */
  async connect(patienceMs = this.patienceMs): Promise<Wire> {
    const wire = connect(this.origin, patienceMs);
    // An unreachable product keeps no promise.
    await wire.connected.catch(() => this.must(false, 'a connection', 'none'));
    return wire;
  }

  /** The head of a submission to `contact`. */
  head(...lines: readonly string[]): string {
    const first = `POST ${this.paths.submit('contact')} HTTP/1.1\r\nHost: ${this.origin.host}`;
    return [first, `Content-Type: ${urlencoded}`, ...lines, '', ''].join('\r\n');
  }

  /** Like `wire`, for requests after which the product must answer or close the connection. */
  async wireToEnd(bytes: string): Promise<readonly Answer[]> {
    const startedAt = performance.now();
    const answers = await this.wire(bytes, this.patienceMs);
    const isOver = answers.length > 0 || performance.now() - startedAt < this.patienceMs;
    this.must(isOver, 'an answer, or the end of the connection');
    return answers;
  }

  /** Writes bytes, given as Latin-1, and reads the answers until the connection ends. */
  async wire(bytes: string, patienceMs = Math.min(this.patienceMs, 10_000)): Promise<readonly Answer[]> {
    const wire = await this.connect(patienceMs);
    wire.socket.write(Buffer.from(bytes, 'latin1'));
    await wire.ended;
    const answers = answersIn(wire.received());
    this.#last = { request: bytes, came: answers.map(answerText).join(' and ') || 'no answer' };
    return answers;
  }

  /** Runs the product's command line with a config for these forms. */
  run(forms: ProductConfig['forms'], ...words: string[]): Promise<Finished> {
    const { adapter, config } = this.#world;
    if (!adapter.run) throw new Error('the adapter runs no command');
    return adapter.run(words, { ...config, forms });
  }
}

// URLSearchParams accepts pairs and records, but its types reject readonly pairs.
export const encode = (values: Exclude<Sent, string | Buffer>): string =>
  new URLSearchParams(values as Record<string, string>).toString();

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function requestText({ method, path, headers = {}, body = '' }: Request): string {
  const shown = Object.entries(headers).map(([name, value]) => ` [${name}: ${value}]`);
  return `${method} ${path}${shown.join('')} ${body.toString('latin1')}`;
}

const answerText = ({ status, text }: Answer): string => `${status} ${text}`.trim();
