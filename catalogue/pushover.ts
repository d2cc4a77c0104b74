/** Pushover: a message on phones and desktops. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'pushover',
  outputs: [
    kit.output({
      type: 'pushover',
      title: 'Pushover',
      summary: 'Notifies the phones of a Pushover user or group.',
      sample: { token: '{{ env "PUSHOVER_TOKEN" }}', user: '{{ env "PUSHOVER_USER" }}' },
      keys: {
        token: kit.key.required(
          'API token of an application (pushover.net, Create an Application), as `{{ env "NAME" }}`.',
          kit.key.secret('PUSHOVER_TOKEN'),
        ),
        user: kit.key.required(
          'Key of the user or group, as `{{ env "NAME" }}`.',
          kit.key.secret('PUSHOVER_USER'),
        ),
        device: kit.key.optional('Name of a device. Default: all.', kit.key.template({ submitted: false })),
        priority: kit.key.withDefault(
          '0',
          'From -2 (no sound) to 1 (also in quiet hours).',
          kit.key.whole({ least: -2, most: 1 }),
        ),
        server: kit.key.withDefault('https://api.pushover.net', 'Address of the API.', kit.key.httpUrl()),
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      open: ({ server, token, user, device, priority, title }) => ({
        target: server,
        send: ({ message, template }, { http }) =>
          http.send({
            url: server,
            path: '1/messages.json',
            form: {
              token: template(token).trim(),
              user: template(user).trim(),
              ...(device && { device: template(device).trim() }),
              priority: String(priority),
              ...message(textOf, { title, fits }),
            },
            judge,
          }),
        probe: async ({ http, template }) => {
          const form = { token: template(token).trim(), user: template(user).trim() };
          await http.send({ url: server, path: '1/users/validate.json', form, judge });
          return [{ level: 'ok', says: 'the application and the user exist' }];
        },
      }),
    }),
  ],
});
export default make;

const textOf = ({ title, rows, notes }: ReadableMessage) => ({
  title,
  message: [...rows.map(({ line }) => line), ...notes].join('\n') || title,
});

/** https://pushover.net/api#limits: 250 characters in a title, 1,024 in a message. */
const fits = ({ message }: { readonly message: string }) => [...message].length <= 1_024;

/** Pushover names the parameter that it rejects: `{"user": "invalid", "status": 0}`. */
const judge = ({ status, at }: PlainAnswer) => {
  const wrong = ['token', 'user', 'device', 'message'].find((name) => at(name) === 'invalid');
  return { isTaken: at('status') === 1, code: wrong && `${wrong}_invalid`, isPassing: status >= 500 };
};
