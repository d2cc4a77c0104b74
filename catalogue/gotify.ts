/** Gotify: a message on phones, through a Gotify server. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'gotify',
  outputs: [
    kit.output({
      type: 'gotify',
      title: 'Gotify',
      summary: 'Notifies the phones of a Gotify server.',
      sample: { url: 'https://push.example.com', token: '{{ env "GOTIFY_TOKEN" }}' },
      keys: {
        url: kit.key.required('Server, such as `https://push.example.com`.', kit.key.httpUrl()),
        token: kit.key.required(
          'Token of an application (Apps, Create Application), as `{{ env "NAME" }}`.',
          kit.key.secret('GOTIFY_TOKEN'),
        ),
        priority: kit.key.optional(
          'From 0 to 10. Default: the application’s priority.',
          kit.key.whole({ least: 0, most: 10 }),
        ),
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      open: ({ url, token, priority, title }) => ({
        target: url,
        send: ({ message, template }, { http }) =>
          http.send({
            url,
            path: 'message',
            headers: { 'x-gotify-key': template(token).trim() },
            json: { ...message(textOf, { title }), priority },
            judge,
          }),
        probe: async ({ http }) => {
          const { at } = await http.send({ method: 'GET', url, path: 'health' });
          return at('health') === 'green' && at('database') === 'green'
            ? [{ level: 'ok', says: 'the server is healthy' }]
            : [{ level: 'failure', says: 'the server is not healthy', remedy: 'See its log.' }];
        },
      }),
    }),
  ],
});
export default make;

/** Plain text, unless `extras` says otherwise. Gotify has no size limit. */
const textOf = ({ title, rows, notes }: ReadableMessage) => ({
  title,
  message: [...rows.map(({ line }) => line), ...notes].join('\n') || title,
});

const judge = ({ status, at }: PlainAnswer) => ({
  isTaken: typeof at('id') === 'number',
  code: at('error'),
  isPassing: status >= 500,
});
