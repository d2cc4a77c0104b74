/** Outputs that write into chats through a webhook: the request, and the meaning of the answer. */
import type { FinalAnswer, Plugin, Properties } from '@form-relay/core/index';
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

interface Meaning {
  /** Whether an answer of success says that the message was taken. `json`: its body, if it is JSON. */
  readonly isTaken: (json: unknown) => boolean;
  /** The JSON key of the service's own error code. Default: the whole answer is the code. */
  readonly codeAt?: string;
  readonly passing?: readonly string[];
  /** The JSON key of the time to wait, in seconds. */
  readonly waitAt?: string;
}

interface Chat {
  readonly type: string;
  readonly summary: string;
  /** Those that the chat had before. */
  readonly removedKeys?: Properties;
  readonly limits: Limits;
  readonly body: (text: ChatText) => object;
  /** What the address gets beside its own query. */
  readonly query?: readonly [name: string, value: string];
  readonly meaningOf: (answer: FinalAnswer) => Meaning;
}

export const chatPlugin = ({ type, summary, removedKeys, limits, body, query, meaningOf }: Chat): Plugin => {
  const output = outputType({
    type,
    summary,
    keys: {
      ...addressKeys,
      title: optional(
        'The first line of the message. Default: the title of the form, or else its name.',
        template(),
      ),
      ...removedKeys,
    },
    jsonSchema: addressJson,
    // The addresses of chats are secrets: an error names the key that keeps them secret.
    problems: (output, at) => addressProblems(output, at, 'url_env'),
    sendsOfItself: () => true,
    open: (output, { form, services }) => ({
      ...destinationOf(output),
      send: async (delivery, timeoutMs) => {
        const text = chatText(output, form, delivery, limits);
        services.show?.({ content: text });
        const url = new URL(addressOf(output, services));
        if (query) url.searchParams.set(...query);
        const answer = await sendRequest(
          {
            ...delivery.request,
            url,
            id: delivery.id,
            contentType: 'application/json; charset=utf-8',
            body: JSON.stringify(body(text)),
            accepts: () => true,
          },
          timeoutMs,
          services,
        );
        judge(answer, meaningOf(answer), services.now());
        return undefined;
      },
    }),
  });
  return { name: type, outputs: [output] };
};

/** Throws a `ClientError` when a message was not taken. A chat that fails by itself is asked again, as RFC 9110 allows. */
function judge(answer: FinalAnswer, meaning: Meaning, now: number): void {
  const { isTaken, codeAt = '', passing = [], waitAt } = meaning;
  const { status, body, isElsewhere, isCut = false, isCompressed } = answer;
  const json = parseJson(body);
  if (status < 300 && isTaken(json)) return;
  if (status < 300 && isCompressed) throw failed('answer_compressed');
  if (status < 300 && isCut) throw failed('answer_cut');
  const code = serviceCode(body, codeAt);
  const told = waitAt && valueAt(json, waitAt);
  const waitMs =
    retryAfter(answer.headers['retry-after'], now) ?? (typeof told === 'number' ? told * 1_000 : undefined);
  const isPassing = status >= 500 || (code !== undefined && passing.includes(code));
  const retry = isPassing ? { retryAfterMs: waitMs ?? 0 } : retryOf(status, waitMs);
  throw status < 400
    ? failed('service_refused', { code }, retry)
    : failed('http_status', { status, isElsewhere, code }, retry);
}
