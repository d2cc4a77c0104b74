import type { Diagnostics, Parsed, TemplateContext } from '@form-relay/core/index';
import {
  addressJson,
  addressKeys,
  addressOf,
  addressProblems,
  httpUrl,
  optional,
  valueAt,
} from '@form-relay/core/kit';
import { bearer, chatKeys, chatPlugin } from './chat.ts';
import { lineBytes, lineOf } from './chat_text.ts';
import { failed } from './failures.ts';
import { filled, roomTemplate, secretTemplate } from './templates.ts';

const keys = {
  ...addressKeys,
  topic: optional(
    'The topic. Whoever knows it can read along, so it is as good as a password: `{{ env "NTFY_TOPIC" }}`.',
    roomTemplate((topic) =>
      isTopic.test(topic) ? undefined : 'a topic has letters, digits, _ and -, at most 64',
    ),
  ),
  server: optional('The server of `topic`. Default: `https://ntfy.sh`.', httpUrl()),
  token: optional(
    'An access token, for topics that are not public. Only as `{{ env "NAME" }}`.',
    secretTemplate('NTFY_TOKEN'),
  ),
  ...chatKeys,
};

type Topic = Partial<Parsed<typeof keys>>;

export const plugin = chatPlugin({
  type: 'ntfy',
  summary:
    'Rings telephones through ntfy: a `topic` of ntfy.sh or of a `server` of your own, or an address that ends with it.',
  keys,
  jsonSchema: { oneOf: [...addressJson.oneOf, { required: ['topic'] }] },
  problems: addressOrTopic,
  // https://docs.ntfy.sh/publish/#limitations: 4,096 bytes in a message. A longer one becomes an attachment.
  limits: {
    title: 200,
    label: 200,
    value: 3_500,
    entries: 60,
    total: 3_900,
    perEntry: 10,
    sizeOf: lineBytes,
  },
  destination: (output) => (output.topic ? { url: output.server ?? ntfySh } : output),
  request: ({ title, entries, footer }, output, { templateContext }) => {
    const { topic, url } = topicOf(output, templateContext);
    const message = [entries.map(lineOf), footer].map((lines) => lines.join('\n')).filter(Boolean);
    return {
      url,
      headers: output.token && bearer(output.token, templateContext),
      body: { topic, title, message: message.join('\n\n') || title },
    };
  },
  meaningOf: () => ({
    isTaken: (json) => typeof valueAt(json, 'id') === 'string',
    codeAt: 'code',
    passing: ['42901'],
  }),
});

const ntfySh = new URL('https://ntfy.sh');
const isTopic = /^[\w-]{1,64}$/;

/** JSON goes to the root of the server, and names the topic. Throws a `ClientError` where an address has none. */
function topicOf(output: Topic, context: TemplateContext) {
  const { topic, server = ntfySh } = output;
  if (topic) return { url: server, topic: filled('topic', topic, context) };
  const url = addressOf(output, context);
  const [, path = '/', last = ''] = /^(.*\/)([^/]+)\/?$/.exec(url.pathname) ?? [];
  if (!isTopic.test(last)) throw failed('address_without_topic', { name: output.url_env ?? 'url' });
  return { url: new URL(path, url), topic: last };
}

function addressOrTopic({ url, url_env, server, topic }: Topic, at: Diagnostics): void {
  if (topic || at.in('topic').isWrong) {
    for (const [key, value] of Object.entries({ url, url_env }))
      if (value !== undefined) at.in(key).error('topic says where to send it already; keep one of the two');
    return;
  }
  if (at.in('url').isWrong || at.in('url_env').isWrong) return;
  if (server || !(url || url_env)) at.in('topic').error('topic is missing');
  else addressProblems({ url, url_env }, at);
  if (url && !isTopic.test(url.pathname.split('/').findLast((part) => part !== '') ?? ''))
    at.in('url').error(
      'the address ends with no topic; write https://ntfy.sh/your-topic, or use the key topic',
    );
}
