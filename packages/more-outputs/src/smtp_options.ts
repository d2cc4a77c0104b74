/** How mails go to an SMTP server: TLS, connections, and signatures by DKIM. */

import { readDkimKey } from '@form-relay/clients/mail/dkim_key';
import type { Dkim, Parsed, Plugin, TemplateContext } from '@form-relay/core/index';
import {
  hostName,
  object,
  oneOf,
  optional,
  outputExtension,
  removed,
  required,
  shown,
  textSchema,
  withDefault,
} from '@form-relay/core/kit';
import { filled, secretTemplate } from './templates.ts';

const dkimKeys = {
  domain: required(
    'The domain that signs: that of `from`, or DMARC does not count the signature.',
    textSchema((domain, at) => {
      // RFC 6376, 3.5: a name in the DNS, so one with a dot.
      const name = hostName(domain);
      return name?.includes('.')
        ? name
        : at.error(`found ${shown(domain, at)}; expected the domain that signs, such as example.com`);
    }),
  ),
  selector: required(
    'Which of its keys this is: `s1`, where the public key stands in the DNS at `s1._domainkey.example.com`.',
    textSchema((selector, at) =>
      /^[a-z\d](?:[\w-]*[a-z\d])?(?:\.[a-z\d](?:[\w-]*[a-z\d])?)*$/i.test(selector)
        ? selector
        : at.error(
            `found ${shown(selector, at)}; expected the selector alone: s1, where the public key stands at s1._domainkey.example.com`,
          ),
    ),
  ),
  key: required(
    'The private key, as PEM: RSA of 2048 bits or more (1024 at least). Only as `{{ env "NAME" }}`.',
    secretTemplate('DKIM_KEY'),
  ),
};

/** Throws a `ClientError` where there is no key: a mail that nobody signed would not arrive. */
function signatureBy({ domain, selector, key }: Parsed<typeof dkimKeys>, context: TemplateContext): Dkim {
  const pem = filled('dkim.key', key, context);
  readDkimKey(pem);
  return { domain, selector, key: pem };
}

const smtpOptions = outputExtension({
  name: 'smtp_options',
  types: ['smtp'],
  keys: {
    tls: withDefault(
      'opportunistic',
      '`required` refuses to send when the server offers no STARTTLS.',
      oneOf(['opportunistic', 'required']),
    ),
    mails_per_connection: removed('0.2.0', 'the relay heeds the limit of Exim', 'leave it out'),
    dkim: optional(
      'Signs each mail with DKIM, for a server that does not: most do, and then this is not needed.',
      object(dkimKeys, `{domain: example.com, selector: s1, key: '{{ env "DKIM_KEY" }}'}`),
    ),
  },
  configure: ({ output: { tls, dkim } }) => {
    if (tls !== 'required' && !dkim) return undefined;
    return {
      wrapTransport: (inner) => ({
        ...inner,
        send: async (delivery, timeoutMs) => {
          const parts = { tls, dkim: dkim && signatureBy(dkim, delivery.templateContext) };
          return inner.send({ ...delivery, mail: { ...delivery.mail, ...parts } }, timeoutMs);
        },
      }),
    };
  },
});

export const plugin: Plugin = { name: 'smtp_options', outputExtensions: [smtpOptions] };
