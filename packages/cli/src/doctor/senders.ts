import { addressOf, bareAddress, domainOf, type Form, type Mailbox } from '@form-relay/relay/base';
import { formatPath } from '@form-relay/relay/config';
import { carrierOf, visitorMailsOf } from '@form-relay/relay/features';
import { type DkimTarget, type Target, takesMails } from '@form-relay/relay/transports';
import type { Setup } from './examination.ts';
import { groupBy, outputsOf, places } from './outputs.ts';

/** A sender of mails, and the server that takes its mails; without `host` that is Amazon SES. */
export interface Sender {
  readonly address: string;
  readonly domain: string;
  readonly host: string | undefined;
  /** `relay@<host>`, because no `from` is given. */
  readonly isDefault: boolean;
  /** Nothing is to be sent back (RFC 3834, 3.3), so SPF says nothing of From. */
  readonly hasNoEnvelope: boolean;
  /** The relay's signature, if it signs. */
  readonly dkim: DkimTarget | undefined;
  /** Its place in the config. */
  readonly place: string;
  /** The key or variable that corrects it. */
  readonly key: 'from' | 'MAIL_FROM_ADDRESS';
}

/** Everybody whom mails are from: to owners, and to visitors. */
export function sendersOf({ forms, settings }: Setup): readonly Sender[] {
  const { mailFromAddress } = settings;
  const outputs = outputsOf(forms).flatMap(({ target, place, isCarrier }) =>
    // From whom it carries a visitor's mail says that mail.
    isCarrier ? [] : senderOf({ target, from: undefined, place, hasNoEnvelope: false, mailFromAddress }),
  );
  const toVisitors = forms.flatMap((form) => visitorSenders(form, mailFromAddress));
  const each = groupBy([...outputs, ...toVisitors], ({ address, host, hasNoEnvelope, dkim }) =>
    JSON.stringify([address, host, hasNoEnvelope, dkim && [dkim.domain, dkim.selector, dkim.key.source]]),
  );
  return each.map((group) => ({ ...group[0], place: places(group) }));
}

const visitorSenders = (form: Form, mailFromAddress: string | undefined): readonly Sender[] =>
  visitorMailsOf(form).flatMap(([key, mail]) => {
    const place = formatPath(['forms', form.id, key]);
    const target = carrierOf(mail, form.outputs)?.target;
    return senderOf({ target, from: mail.from, place, hasNoEnvelope: true, mailFromAddress });
  });

interface Sending extends Pick<Sender, 'place' | 'hasNoEnvelope'> {
  readonly target: Target | undefined;
  /** Instead of what the output says. */
  readonly from: Mailbox | undefined;
  readonly mailFromAddress: string | undefined;
}

function senderOf({ target, from, mailFromAddress, ...rest }: Sending): readonly Sender[] {
  if (!takesMails(target)) return [];
  const own = from ?? target.from;
  const address = own === undefined ? mailFromAddress && bareAddress(mailFromAddress) : addressOf(own);
  // Another examination reports a missing address.
  if (!address) return [];
  const bySmtp = target.via === 'smtp' ? target : undefined;
  return [
    {
      ...rest,
      address,
      domain: domainOf(address),
      host: bySmtp?.host,
      isDefault: from === undefined && bySmtp?.isDefaultSender === true,
      dkim: bySmtp?.dkim,
      key: own === undefined ? 'MAIL_FROM_ADDRESS' : 'from',
    },
  ];
}
