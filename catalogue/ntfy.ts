/** ntfy: a message on phones, to a topic of ntfy.sh or of the owner's server. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const isTopic = /^[\w-]{1,64}$/;

const make: MakePlugin = (kit) => ({
  name: 'ntfy',
  outputs: [
    kit.output({
      type: 'ntfy',
      title: 'ntfy',
      summary:
        'Notifies phones through ntfy: a `topic` of ntfy.sh or of your own `server`, or a topic’s whole `url`.',
      aliases: ['ntfy_sh', 'push', 'push_notification'],
      sample: { topic: '{{ env "NTFY_TOPIC" }}' },
      keys: {
        ...kit.destination.keys,
        topic: kit.key.optional(
          'Topic, as secret as a password: `{{ env "NTFY_TOPIC" }}`.',
          kit.key.template({ submitted: false }),
        ),
        server: kit.key.optional('Server of `topic`. Default: `https://ntfy.sh`.', kit.key.httpUrl()),
        token: kit.key.optional(
          'Access token for topics that are not public, as `{{ env "NAME" }}`.',
          kit.key.secret('NTFY_TOKEN'),
        ),
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      problems: ({ topic, server, url, url_env }, at) => {
        if (!topic && (server || !(url || url_env)))
          at.in('topic').error('topic is missing', { code: 'key_missing' });
        else if (!topic) kit.destination.check({ url, url_env }, at, 'url_env');
        else if (url || url_env)
          at.in(url ? 'url' : 'url_env').error('`topic` already has the address; remove one of the two');
        if (topic && !topic.source.includes('{{') && !isTopic.test(topic.source))
          at.in('topic').error('a topic can have up to 64 letters a-z, digits, - and _');
        if (url && !isTopic.test(topicIn(url))) at.in('url').error('the address does not end with a topic');
      },
      open: ({ url, url_env, topic, server = new URL('https://ntfy.sh'), token, title }, { env }) => {
        const isAddressed = topic === undefined;
        return {
          target: isAddressed ? { url, url_env } : server,
          send: ({ message, template }, { http }) => {
            const address = isAddressed
              ? (url ?? addressIn(env(url_env ?? ''), url_env, kit.fail))
              : undefined;
            const name = address ? topicIn(address) : template(topic as NonNullable<typeof topic>).trim();
            if (!isTopic.test(name))
              throw kit.fail(`\`${address ? (url_env ?? 'url') : 'topic'}\` has no topic`);
            return http.send({
              // JSON is sent to the root of the server, and contains the topic.
              url: address ? new URL(address.pathname.replace(/[^/]+\/?$/, ''), address) : server,
              headers: token && { authorization: `Bearer ${template(token).trim()}` },
              json: { topic: name, ...message(textOf, { title, titleMost: 200, fits }) },
              judge,
            });
          },
        };
      },
    }),
  ],
});
export default make;

const topicIn = ({ pathname }: URL) => /([^/]*)\/?$/.exec(pathname)?.[1] ?? '';

function addressIn(text: string | undefined, name: string | undefined, fail: (why: string) => Error): URL {
  if (!text) throw fail(`${name}, which \`url_env\` names, is not set`);
  if (!/^https?:\/\//.test(text.trim()) || !URL.canParse(text.trim()))
    throw fail(`${name}, which \`url_env\` names, is not a URL that starts with https:// or http://`);
  return new URL(text.trim());
}

const textOf = ({ title, rows, notes }: ReadableMessage) => {
  const parts = [rows.map(({ line }) => line), notes].map((lines) => lines.join('\n')).filter(Boolean);
  return { title, message: parts.join('\n\n') || title };
};

/**
 * https://docs.ntfy.sh/publish/#limitations: 4,096 bytes in a message, which otherwise becomes an attachment;
 * twice that as JSON.
 */
const fits = (text: ReturnType<typeof textOf>) =>
  Buffer.byteLength(text.message) <= 4_096 && Buffer.byteLength(JSON.stringify(text)) <= 8_000;

const judge = ({ status, at }: PlainAnswer) => ({
  isTaken: typeof at('id') === 'string',
  code: at('code'),
  isPassing: status >= 500 || at('code') === 42_901,
});
