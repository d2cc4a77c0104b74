/** Real servers that end with the test that started them, and helpers to inspect what they received. */
import net from 'node:net';
import { createSmtpClient } from '../../packages/clients/src/smtp/smtp_client.ts';
import type { SmtpClient } from '../../packages/core/src/services.ts';
import { formatProblem } from '../../packages/yaml/src/problem.ts';
import { ca } from './certificates.ts';
import { bodyOf, type HttpSinkOptions, startHttpSink } from './http_sink.ts';
import { type Serving, startRawServer } from './raw_server.ts';
import { startRelay, type TestRelay, type TestRelayOptions } from './relay.ts';
import { type Book, startSmtpScript } from './smtp_script.ts';
import { type SmtpSinkOptions, startSmtpSink } from './smtp_sink.ts';

/** Waits for a start, and closes the result when the test ends. */
export async function untilEnd<T extends { close(): unknown }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  onTestFinished(async () => void (await started.close()));
  return started;
}

export const relayWith = (options: TestRelayOptions) => untilEnd(startRelay(options));

export const httpSink = (options?: HttpSinkOptions) => untilEnd(startHttpSink(options));

/** A server that answers with the test's own bytes. */
export const rawServer = (serving: Serving) => untilEnd(startRawServer(serving));

export const smtpSink = (options?: SmtpSinkOptions) => untilEnd(startSmtpSink(options));

export const smtpScript = (book?: Book) => untilEnd(startSmtpScript(book));

type Sent = readonly (readonly [name: string, value: string])[];

export type Contact = Awaited<ReturnType<typeof contact>>;

interface ContactOptions extends TestRelayOptions {
  /** As YAML. */
  readonly fields?: string;
  /** As YAML; `$sink` is a quoted URL, `$origin` an unquoted one. Default: sends everything to the sink. */
  readonly outputs?: string;
  /** Other keys of the form, written as in a flow mapping. */
  readonly keys?: string;
  /** Lines of the config before its forms. */
  readonly top?: string;
  /** The sink's answers. */
  readonly answer?: HttpSinkOptions['answer'];
}

const toSink = '[{type: http_post, url: $sink, mapping: "*"}]';

/** A relay with one form, `contact`, whose outputs deliver to a sink. */
export async function contact({
  fields = '[{name: name}]',
  outputs = toSink,
  keys = '',
  top = '',
  answer,
  ...options
}: ContactOptions) {
  const sink = await httpSink(answer && { answer });
  const to = outputs.replaceAll('$sink', `"${sink.origin}/"`).replaceAll('$origin', sink.origin);
  const form = `{fields: ${fields}, outputs: ${to}${keys && `, ${keys}`}}`;
  const relay = await relayWith({ config: `${top && `${top}\n`}forms: {contact: ${form}}`, ...options });
  return {
    ...relay,
    sink,
    /** The values of each POST to the form's outputs, in order. */
    get delivered() {
      return sink.requests.map(({ body }) => [...new URLSearchParams(body)]);
    },
    /** Deliveries as text, such as `email=ada@example.org&name=Ada`. */
    get bodies() {
      return sink.requests.map(bodyOf);
    },
    /** Submits to the form. */
    send: (...values: Sent) =>
      relay.submit(
        'contact',
        values.map(([name, value]) => [name, value]),
      ),
  };
}

/** The mistakes that keep a config from loading, as logged for its owner; empty if it loads. */
export async function problemsOf(config: string): Promise<string> {
  const { get, logged } = await relayWith({ config });
  await get('/readyz');
  const problems = logged.find(({ event }) => event === 'config_invalid')?.problems as string[] | undefined;
  return problems?.join('\n') ?? '';
}

/** The warnings of a config that loads. */
export async function warningsOf(config: string): Promise<string> {
  const { relay } = await relayWith({ config });
  const loaded = await relay.config.get();
  if (!loaded) throw new Error('the config did not load');
  return (await loaded.warnings()).map(formatProblem).join('\n');
}

/** Reasons of failed deliveries and similar events, as logged. */
export const reasons = ({ logged }: TestRelay) =>
  logged.filter(({ event }) => event !== 'retrying').flatMap(({ reason }) => reason ?? []);

/** Redirects mail for any host and port to `port` on 127.0.0.1. */
export const smtpTo = (port: number): SmtpClient =>
  createSmtpClient({ ca, connect: (to) => net.connect({ ...to, port, host: '127.0.0.1' }) });

/** An ASCII mail's text. */
export const mailText = (raw: string) => raw.slice(raw.indexOf('\r\n\r\n') + 4).replaceAll('\r\n', '\n');

export function mailHeader(raw: string, name: string): string | undefined {
  const unfolded = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1];
}

/** A config with one form, `contact`, that posts its single field to an origin. */
export const configOf = (origin: string) =>
  `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${origin}/", mapping: "*"}]}}`;
