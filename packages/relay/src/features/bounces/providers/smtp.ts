/** Any SMTP server, through mails that come back to an address of the owner's. */
import * as v from 'valibot';
import { parseAddress } from '../../../base/address.ts';
import type { BouncesBySmtp } from '../../../base/bounces.ts';
import { err, ok, type Result } from '../../../base/result.ts';
import type { Schema } from '../../../schema/any_schema.ts';
import { type Finding, finding } from '../../../schema/finding.ts';
import { read } from '../../../schema/issue.ts';
import { optional, required } from '../../../schema/keys.ts';
import { name, secretVariable } from '../../../schema/kinds.ts';
import { readDsn } from '../dsn.ts';
import { isSame } from '../secure.ts';
import { partsOf, tokenLength } from '../verp.ts';
import { type Provider, refused } from './provider.ts';

/** RFC 5321, 4.5.3.1.1. */
const mostLocal = 64 - tokenLength - '+'.length;

const address: Schema<string> = v.pipe(
  name(),
  read((found): Result<string, Finding> => {
    const parsed = parseAddress(found);
    const local = parsed === undefined ? '' : partsOf(parsed).local;
    const isUsable = parsed !== undefined && local.length <= mostLocal && !local.includes('+');
    return isUsable ? ok(parsed) : err(finding('bounce_address_unusable', []));
  }),
);

export const smtp: Provider<BouncesBySmtp> = {
  summary:
    'Makes the envelope senders of mails that `smtp` outputs send, to visitors and to you, and takes in what comes back there. Their From stays.',
  keys: {
    address: required(
      'The address to which mails come back, such as `bounces@example.com`. Each mail has one of its own, such as `bounces+v4f…@example.com`.',
      address,
    ),
    mailbox: optional(
      'The path of its mailbox on this machine: an mbox file or a Maildir. It is only for these mails.',
      name(),
    ),
    secret_env: optional(
      'The environment variable with the secret of a program that posts each mail to the relay (`Authorization: Bearer …`).',
      secretVariable(),
    ),
  },
  example: '{address: bounces@example.com, mailbox: /var/mail/bounces}',
  isIdle: ({ mailbox, secret_env: variable }) => mailbox === undefined && variable === undefined,
  variables: ['secret_env'],
  probe: ({ settings: { secret_env: variable }, effects }) => {
    const secret = variable === undefined ? undefined : effects.env(variable);
    return secret
      ? { headers: { authorization: `Bearer ${secret}` }, body: 'Subject: relay doctor\n\n' }
      : undefined;
  },
  receive: ({ settings, body, headers, secret, effects }) => {
    const { secret_env: variable, address } = settings;
    const expected = variable === undefined ? undefined : effects.env(variable);
    if (!expected) return refused('unset');
    const [, given] = /^Bearer (\S{1,1000})$/i.exec(headers.authorization ?? '') ?? [];
    if (given === undefined) return refused('unsigned');
    if (!isSame(given, expected)) return refused('forged');
    return { kind: 'events', events: readDsn(body, { address, secret, now: effects.now() }) };
  },
};
