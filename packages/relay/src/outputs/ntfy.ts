import * as v from 'valibot';
import { failed } from '../base/client_error.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { wrong } from '../schema/issue.ts';
import { optional } from '../schema/keys.ts';
import { httpUrl } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import { valueAt } from '../transports/http/answer.ts';
import { type AnyAnswer, httpTarget } from '../transports/http/http_transport.ts';
import {
  bearer,
  chatKeys,
  chatMessage,
  chatText,
  chatVerdict,
  filled,
  jsonBytes,
  lineOf,
  room,
} from './chat_outputs.ts';
import { addressKeys, addressOf, addressProblems, addressTarget } from './http_outputs.ts';
import { outputType, secretTemplate } from './output.ts';

export const ntfy = outputType({
  type: 'ntfy',
  summary:
    'Rings telephones through ntfy: a `topic` of ntfy.sh or of a `server` of your own, or an address that ends with it.',
  keys: {
    ...addressKeys,
    topic: optional(
      'The topic. Whoever knows it can read along, so it is as good as a password: `{{ env "NTFY_TOPIC" }}`.',
      v.pipe(
        room(),
        v.check(({ content }) => typeof content !== 'string' || isTopic.test(content), wrong('not_a_topic')),
      ),
    ),
    server: optional('The server of `topic`. Default: `https://ntfy.sh`.', httpUrl()),
    token: optional(
      'An access token, for topics that are not public. Only as `{{ env "NAME" }}`.',
      secretTemplate('NTFY_TOKEN'),
    ),
    ...chatKeys,
  },
  problems: addressOrTopic,
  jsonSchema: { oneOf: [{ required: ['url'] }, { required: ['url_env'] }, { required: ['topic'] }] },
  target: (output) => httpTarget(output.topic ? (output.server ?? ntfySh) : addressTarget(output)),
  message: (output, job, scope) => {
    const text = chatText(output, job, scope, limits);
    const { title, entries, footer } = text;
    const { topic, ...address } = topicOf(output, scope);
    const message = [entries.map(lineOf), footer].map((lines) => lines.join('\n')).filter(Boolean);
    return chatMessage(
      job,
      text,
      { ...address, headers: output.token && bearer(output.token, scope) },
      { topic, title, message: message.join('\n\n') || title },
    );
  },
  verdict: (_, answer: AnyAnswer) =>
    chatVerdict(answer, {
      isTaken: (json) => typeof valueAt(json, 'id') === 'string',
      codeAt: 'code',
      passing: ['42901'],
    }),
  sendsOfItself: () => true,
});

const ntfySh = new URL('https://ntfy.sh');
const isTopic = /^[\w-]{1,64}$/;

interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
  readonly server?: URL | undefined;
  readonly topic?: Template | undefined;
}

/** JSON goes to the root of the server, and names the topic. Throws a `ClientError` where an address has none. */
function topicOf(output: Addressed, scope: Scope) {
  const { topic, server = ntfySh } = output;
  if (topic) return { url: server, topic: filled('topic', topic, scope) };
  const { url, addressFrom } = addressOf(output, scope);
  const [, path = '/', last = ''] = /^(.*\/)([^/]+)\/?$/.exec(url.pathname) ?? [];
  if (!isTopic.test(last)) throw failed('address_without_topic', { name: addressFrom ?? 'url' });
  return { url: new URL(path, url), addressFrom, addressInBody: last, topic: last };
}

function addressOrTopic({ url, url_env, server, topic }: Addressed): readonly Finding[] {
  if (!topic) {
    const isUseless = url && !isTopic.test(url.pathname.split('/').findLast((part) => part !== '') ?? '');
    return [
      ...(server || !(url || url_env)
        ? [finding('key_missing', ['topic'], { key: 'topic' })]
        : addressProblems({ url, url_env })),
      ...(isUseless ? [finding('url_without_topic', ['url'])] : []),
    ];
  }
  return [
    ...(url ? [finding('address_beside_topic', ['url'])] : []),
    ...(url_env === undefined ? [] : [finding('address_beside_topic', ['url_env'])]),
  ];
}

/** Limits from https://docs.ntfy.sh/publish/#limitations: 4,096 bytes in a message. A longer one becomes an attachment. */
const limits = {
  title: 200,
  label: 200,
  value: 3_500,
  entries: 60,
  total: 3_900,
  perEntry: 10,
  sizeOf: (text: string) => jsonBytes(text) + 4 * (text.split('\n').length - 1),
};
