import type { Mailbox } from '@form-relay/base/address';
import { addressOf, bareAddress, domainOf } from '@form-relay/base/address';
import type { Form } from '@form-relay/core/form';
import { defaultSender } from '@form-relay/core/outputs/mail';
import { mailsOf } from '@form-relay/visitor-mails/mail';
import { formatPath } from '@form-relay/yaml/problem';
import { carrierOf, formsOf, groupBy, outputsOf, places } from './outputs.ts';
import type { Setup } from './setup.ts';
import type { Target } from './target.ts';

/** A sender of mails, and the server that takes its mails; without `host` that is Amazon SES. */
export interface Sender {
  readonly address: string;
  readonly domain: string;
  readonly host: string | undefined;
  /** `relay@<host>`, because no `from` is given. */
  readonly isDefault: boolean;
  /** The place in the config. */
  readonly place: string;
  /** The key or variable that corrects it. */
  readonly key: 'from' | 'MAIL_FROM_ADDRESS';
}

/** Everybody whom mails are from: to owners, and to visitors. */
export function sendersOf(setup: Setup): readonly Sender[] {
  const { mailFromAddress } = setup.settings;
  const outputs = outputsOf(setup).flatMap(({ target, place, output }) =>
    // From whom it carries a visitor's mail says that mail.
    !output ? [] : senderOf({ target, from: undefined, place, mailFromAddress }),
  );
  const toVisitors = formsOf(setup).flatMap((form) => visitorSenders(form, mailFromAddress));
  const each = groupBy([...outputs, ...toVisitors], ({ address, host }) => JSON.stringify([address, host]));
  return each.map((group) => ({ ...group[0], place: places(group) }));
}

const visitorSenders = (form: Form, mailFromAddress: string | undefined): readonly Sender[] =>
  mailsOf(form).flatMap(([key, mail]) => {
    const place = formatPath(['forms', form.id, key]);
    const target = carrierOf(mail, form);
    return senderOf({ target, from: mail.from, place, mailFromAddress });
  });

interface Sending extends Pick<Sender, 'place'> {
  readonly target: Target | undefined;
  /** Instead of what the output says. */
  readonly from: Mailbox | undefined;
  readonly mailFromAddress: string | undefined;
}

function senderOf({ target, from, mailFromAddress, place }: Sending): readonly Sender[] {
  if (target?.protocol !== 'smtp' && target?.protocol !== 'ses') return [];
  const bySmtp = target.protocol === 'smtp' ? target : undefined;
  const written = from ?? target.from;
  const own = written ?? (bySmtp && defaultSender(bySmtp.host));
  const address = own === undefined ? mailFromAddress && bareAddress(mailFromAddress) : addressOf(own);
  // Another examination reports a missing address.
  if (!address) return [];
  return [
    {
      place,
      address,
      domain: domainOf(address),
      host: bySmtp?.host,
      isDefault: written === undefined && bySmtp !== undefined,
      key: own === undefined ? 'MAIL_FROM_ADDRESS' : 'from',
    },
  ];
}
