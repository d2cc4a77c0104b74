import * as v from 'valibot';
import { hostName } from '../base/address.ts';
import { failed } from '../base/client_error.ts';
import type { Schema } from '../schema/any_schema.ts';
import { wrong } from '../schema/issue.ts';
import { required, section } from '../schema/keys.ts';
import { text } from '../schema/kinds.ts';
import type { Scope } from '../schema/template/render.ts';
import { readDkimKey } from '../transports/mail/dkim_key.ts';
import type { DkimTarget } from '../transports/smtp/smtp_transport.ts';
import { secretTemplate } from './output.ts';

const block = section(
  {
    domain: required(
      'The domain that signs: that of `from`, or DMARC does not count the signature.',
      v.pipe(
        text(),
        // RFC 6376, 3.5: a name in the DNS, so one with a dot.
        v.check((domain) => hostName(domain)?.includes('.') === true, wrong('dkim_domain_malformed')),
        v.transform((domain) => hostName(domain) ?? domain),
      ),
    ),
    selector: required(
      'Which of its keys this is: `s1`, where the public key stands in the DNS at `s1._domainkey.example.com`.',
      v.pipe(
        text(),
        v.regex(
          /^[a-z\d](?:[\w-]*[a-z\d])?(?:\.[a-z\d](?:[\w-]*[a-z\d])?)*$/i,
          wrong('dkim_selector_malformed'),
        ),
      ),
    ),
    key: required(
      'The private key, as PEM: RSA of 2048 bits or more (1024 at least). Only as `{{ env "NAME" }}`.',
      secretTemplate('DKIM_KEY'),
    ),
  },
  `{domain: example.com, selector: s1, key: '{{ env "DKIM_KEY" }}'}`,
);

export const dkimSchema: Schema<DkimTarget> = v.pipe(
  block,
  v.transform(
    (parsed): DkimTarget => Object.assign(parsed, { signingOf: (scope: Scope) => signingOf(parsed, scope) }),
  ),
);

/** Throws a `ClientError` where there is no key: a mail that nobody signed would not arrive. */
function signingOf({ domain, selector, key: template }: v.InferOutput<typeof block>, scope: Scope) {
  const key = template.render(scope);
  if (key === '') throw failed('rendered_empty', { key: 'dkim.key' });
  readDkimKey(key);
  return { domain, selector, key };
}
