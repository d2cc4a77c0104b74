/** How mails are sent to an SMTP server. */

import { outputExtension } from '@form-relay/core/extensions';
import type { Plugin } from '@form-relay/core/index';
import { oneOf } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';

const smtpOptions = outputExtension({
  name: 'smtp_options',
  types: ['smtp'],
  keys: {
    tls: withDefault(
      'opportunistic',
      '`required` sends nothing if the server does not offer STARTTLS. `implicit` uses TLS from the start, as port 465 always does.',
      oneOf(['opportunistic', 'required', 'implicit']),
    ),
  },
  configure: ({ output: { tls } }) => {
    if (tls === 'opportunistic') return undefined;
    return {
      wrapTransport: (inner) => ({
        ...inner,
        send: (delivery, call) => inner.send({ ...delivery, mail: { ...delivery.mail, tls } }, call),
      }),
    };
  },
});

export const plugin: Plugin = { name: 'smtp_options', outputExtensions: [smtpOptions] };
