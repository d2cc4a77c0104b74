/** How Amazon SES reports what becomes of a mail. */
import type { Plugin } from '@form-relay/core/index';
import { optional, outputExtension, removed, shown, textSchema } from '@form-relay/core/kit';

const setName = /^[A-Za-z0-9_-]{1,64}$/;

const sesOptions = outputExtension({
  name: 'ses_options',
  types: ['email'],
  keys: {
    configuration_set: optional(
      'The configuration set of SES that the mail goes by, so that bounces and complaints are told to whom it names. Default: that of the sender in SES, if it has one.',
      textSchema((name, at) =>
        setName.test(name)
          ? name
          : at.error(
              `found ${shown(name, at)}; expected the name of a configuration set of SES: up to 64 of a to z, A to Z, 0 to 9, _ and -`,
            ),
      ),
    ),
    tags: removed('0.2.0', 'a configuration set for each form tells as much', 'leave them out'),
  },
  configure: ({ output: { configuration_set: configurationSet } }) => {
    if (configurationSet === undefined) return undefined;
    return {
      wrapTransport: (inner) => ({
        ...inner,
        send: (delivery, timeoutMs) =>
          inner.send({ ...delivery, mail: { ...delivery.mail, configurationSet } }, timeoutMs),
      }),
    };
  },
});

export const plugin: Plugin = { name: 'ses_options', outputExtensions: [sesOptions] };
