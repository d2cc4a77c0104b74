/** Outputs that write into chats: the request, and the meaning of the answer. */
import type {
  Delivery,
  Diagnostics,
  FinalAnswer,
  OutputType,
  Parsed,
  Plugin,
  Properties,
  Services,
  Template,
  TemplateContext,
} from '@form-relay/core/index';
import {
  addressJson,
  addressKeys,
  addressOf,
  addressProblems,
  destinationOf,
  optional,
  outputType,
  parseJson,
  retryAfter,
  retryOf,
  sendRequest,
  serviceCode,
  template,
  valueAt,
} from '@form-relay/core/kit';
import { type ChatText, chatText, type Limits } from './chat_text.ts';
import { failed } from './failures.ts';
import { filled } from './templates.ts';

export const chatKeys = {
  title: optional(
    'The first line of the message. Default: the title of the form, or else its name.',
    template(),
  ),
};

export interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
}

interface ChatRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: object;
}

interface Meaning {
  /** Whether an answer of success says that the message was taken. `json`: its body, if it is JSON. */
  readonly isTaken: (json: unknown) => boolean;
  /** The JSON key of the service's own error code. Default: the whole answer is the code. */
  readonly codeAt?: string | undefined;
  readonly code?: string | undefined;
  readonly passing?: readonly string[];
  /** The JSON key of the time to wait, and its unit. */
  readonly wait?: { readonly at: string; readonly unitMs: number };
}

interface Chat<K extends Properties>
  extends Pick<OutputType<K>, 'type' | 'summary' | 'keys' | 'jsonSchema' | 'problems'> {
  readonly limits: Limits;
  destination(output: Parsed<K>): Addressed;
  /** Throws a `ClientError` when a key that is there renders to nothing that can be used. */
  request(text: ChatText, output: Parsed<K>, delivery: Delivery, services: Services): ChatRequest;
  /** What an answer means. Throws a `ClientError` for one that explains itself. */
  meaningOf(answer: FinalAnswer, output: Parsed<K>): Meaning;
}

export const chatPlugin = <K extends Properties>(chat: Chat<K>): Plugin => {
  const { type, limits, destination, request, meaningOf, ...definition } = chat;
  const output = outputType({
    type,
    ...definition,
    sendsOfItself: () => true,
    open: (output, { form, services }) => ({
      ...destinationOf(destination(output)),
      send: async (delivery, timeoutMs) => {
        const text = chatText(output, form, delivery, limits);
        services.show?.({ content: text });
        const { body, ...to } = request(text, output, delivery, services);
        const answer = await sendRequest(
          {
            ...delivery.request,
            ...to,
            id: delivery.id,
            contentType: 'application/json; charset=utf-8',
            body: JSON.stringify(body),
            accepts: () => true,
          },
          timeoutMs,
          services,
        );
        judge(answer, meaningOf(answer, output), services.now());
        return undefined;
      },
    }),
  });
  return { name: type, outputs: [output] };
};

interface WebhookChat {
  readonly type: string;
  readonly summary: string;
  readonly limits: Limits;
  readonly body: (text: ChatText) => object;
  /** What the address gets beside its own query. */
  readonly query?: readonly [name: string, value: string];
  readonly meaningOf: (answer: FinalAnswer) => Meaning;
}

export const webhookChat = ({ body, query, ...chat }: WebhookChat): Plugin =>
  chatPlugin({
    ...chat,
    keys: { ...addressKeys, ...chatKeys },
    jsonSchema: addressJson,
    problems: chatAddressProblems,
    destination: (output) => output,
    request: (text, output, _, services) => {
      const url = new URL(addressOf(output, services));
      if (query) url.searchParams.set(...query);
      return { url, body: body(text) };
    },
  });

/** Throws a `ClientError` when a message was not taken. A chat that fails by itself is asked again, as RFC 9110 allows. */
function judge(answer: FinalAnswer, meaning: Meaning, now: number): void {
  const { isTaken, codeAt = '', passing = [], wait } = meaning;
  const { status, body, isElsewhere, isCut = false, isCompressed } = answer;
  const json = parseJson(body);
  if (status < 300 && isTaken(json)) return;
  if (status < 300 && isCompressed) throw failed('answer_compressed');
  if (status < 300 && isCut) throw failed('answer_cut');
  const code = 'code' in meaning ? meaning.code : serviceCode(body, codeAt);
  const told = wait && valueAt(json, wait.at);
  const waitMs =
    retryAfter(answer.headers['retry-after'], now) ??
    (wait && typeof told === 'number' ? told * wait.unitMs : undefined);
  const isPassing = status >= 500 || (code !== undefined && passing.includes(code));
  const retry = isPassing ? { retryAfterMs: waitMs ?? 0 } : retryOf(status, waitMs);
  throw status < 400
    ? failed('service_refused', { code }, retry)
    : failed('http_status', { status, isElsewhere, code }, retry);
}

/** A token, of these characters alone. Throws a `ClientError` for anything else. */
export function tokenIn(token: Template, context: TemplateContext, characters = /^[!-~]+$/): string {
  const rendered = filled('token', token, context);
  if (!characters.test(rendered)) throw failed('token_malformed', { key: 'token' });
  return rendered;
}

export const bearer = (token: Template, context: TemplateContext) => ({
  authorization: `Bearer ${tokenIn(token, context)}`,
});

/** A path below the server's address, which may have a path of its own. */
export const below = (server: URL, path: string): URL =>
  new URL(`${server.pathname.replace(/\/*$/, '/')}${path}`, server);

/** For chats, whose addresses are secrets: names the key that keeps them secret. */
export const chatAddressProblems = (output: Addressed, at: Diagnostics): void =>
  addressProblems(output, at, 'url_env');
