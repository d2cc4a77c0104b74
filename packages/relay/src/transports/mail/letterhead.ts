import type { Correspondents, Mail, Mailbox } from '../../base/effects.ts';
import { bare, type Encoders, Head } from './head.ts';

/** How the correspondents of a mail stand in it. */
export interface Addresses {
  /** The headers From, To and Cc, each ending with CRLF. */
  readonly lines: string;
  /** The address in From. */
  readonly author: string;
  /** Each address once: of To, Cc and blind copies. */
  readonly recipients: readonly string[];
}

const written = new WeakMap<Correspondents, Addresses>();

/** The correspondents of every mail of an output, written when the config loads, but for names that nodemailer encodes. */
export function letterhead(correspondents: Correspondents): Correspondents {
  write(correspondents, undefined);
  return correspondents;
}

function write(correspondents: Correspondents, encoders: Encoders | undefined): Addresses | undefined {
  const addresses = addressesOf(correspondents, encoders);
  if (addresses) written.set(correspondents, addresses);
  return addresses;
}

/** The head of a mail, by its letterhead if that is still true. `undefined` where nodemailer is needed and not loaded. */
export function addressesIn(mail: Mail, encoders: Encoders | undefined): Addresses | undefined {
  const { letterhead, from, to, cc, bcc } = mail;
  const isTrue =
    letterhead?.from === from && letterhead.to === to && letterhead.cc === cc && letterhead.bcc === bcc;
  if (!isTrue) return addressesOf(mail, encoders);
  return written.get(letterhead) ?? write(letterhead, encoders);
}

function addressesOf(
  { from, to, cc, bcc }: Correspondents,
  encoders: Encoders | undefined,
): Addresses | undefined {
  const head = new Head(encoders);
  const recipients = new Set<string>();
  const addressees = (mailboxes: readonly Mailbox[]) => {
    const written = mailboxes.map((one) => head.mailbox(one));
    for (const one of written) recipients.add(bare(one));
    return written.join(', ');
  };
  const sender = head.mailbox(from);
  head.add('From', sender);
  head.add('To', addressees(to));
  if (cc) head.add('Cc', addressees(cc));
  if (bcc) addressees(bcc);
  return head.isLacking
    ? undefined
    : { lines: head.lines, author: bare(sender), recipients: [...recipients] };
}
