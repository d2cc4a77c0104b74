import { type Mailbox, needsUtf8 } from '@form-relay/base/address';
import type { Mail } from '@form-relay/core/services';
import type MimeNode from 'nodemailer/lib/mime-node';

export interface Encoders {
  readonly mime: MimeNode;
  readonly lines: typeof import('nodemailer/lib/mime-funcs');
}

/**
 * The headers of a mail. Short, plain values stay as they are; nodemailer encodes and folds the others. The
 * bytes are the same as from nodemailer's composer, except where it folds badly.
 */
export class Head {
  lines = '';
  /** Whether headers are missing because nodemailer is not loaded. */
  isLacking = false;
  readonly #encoders: Encoders | undefined;

  constructor(encoders: Encoders | undefined) {
    this.#encoders = encoders;
  }

  /** Adds a header; omits it if it has no value. */
  add(name: string, value: string): void {
    const line = `${name}: ${value}`;
    if (line.length < lineLength) {
      if (value.trim() !== '') this.lines += `${line}\r\n`;
    } else if (this.#encoders) {
      if (value.trim() !== '') this.lines += `${this.#encoders.lines.foldLines(line, lineLength)}\r\n`;
    } else {
      this.isLacking = true;
    }
  }

  /** Adds a header with text in any language. */
  addWords(name: string, value: string): void {
    this.add(name, plainWords.test(value) && isShort(value) ? value : this.#words(value));
  }

  /** Formats an address for a header, with its name if there is one. */
  mailbox(mailbox: Mailbox): string {
    if (typeof mailbox === 'string') {
      return plainAddress.test(mailbox) ? mailbox : this.#addressee({ address: mailbox });
    }
    const { name, address } = mailbox;
    const plain = `${name} <${address}>`;
    if (isShort(plain) && plainName.test(name) && plainAddress.test(address)) return plain;
    // For such an address, nodemailer would change the domain.
    if (!needsUtf8(address)) {
      const header = this.#addressee({ name, address });
      if (!foldsBadly(header)) return header;
    }
    return `${this.#encodeWord(name)} <${address}>`;
  }

  /** Encodes every header like a subject, because nodemailer treats some names differently. */
  #words(value: string): string {
    if (!this.#encoders) return this.#lack();
    const encoded = this.#encoders.mime.encodeHeaderValue('Subject', value);
    return foldsBadly(encoded) ? this.#encodeWord(value) : encoded;
  }

  /** Passes an object, because nodemailer would find several addresses in a string. */
  #addressee(mailbox: { readonly name?: string; readonly address: string }): string {
    return this.#encoders ? this.#encoders.mime.encodeHeaderValue('To', { ...mailbox }) : this.#lack();
  }

  #encodeWord(value: string): string {
    return this.#encoders ? this.#encoders.lines.encodeWord(value, 'Q', encodedWordLength) : this.#lack();
  }

  #lack(): string {
    this.isLacking = true;
    return '';
  }
}

/** The address in a header's mailbox: `<` and `>` enclose it after a name, or if the domain is unusual. */
const bare = (mailbox: string): string =>
  mailbox.endsWith('>') ? mailbox.slice(mailbox.lastIndexOf('<') + 1, -1) : mailbox;

/**
 * Whether nodemailer would produce a line that is longer than servers accept, or only white space, which some
 * servers take for the end of the headers.
 */
const foldsBadly = (value: string) =>
  value.length > lineLength &&
  (/\s{70}/.test(value) ||
    (value.length > longestRun && value.split(/\s+/).some((run) => run.length > longestRun)));

const lineLength = 76;

/** Whether a value is so short that it needs no folding after any name. */
const isShort = (value: string) => value.length <= lineLength;

/**
 * A line may have 998 bytes (RFC 5321, 4.5.3.1.6 and RFC 5322, 2.1.1), here including the spaces before a
 * long word. Subjects, names and the owner's headers can be longer.
 */
const longestRun = 998 - lineLength;

/** Like nodemailer. RFC 2047, 2 allows 75. */
const encodedWordLength = 52;

/** Text that nodemailer leaves unchanged: printable ASCII without quotes and without the start of an encoded word. */
const plainWords = /^(?!.*=\?)[ !#-~]*$/;
const plainName = /^[\w ]*$/;
const plainAddress =
  /^[\w!#$%&'*+/=?^`{|}~\u0080-\uffff-]+(\.[\w!#$%&'*+/=?^`{|}~\u0080-\uffff-]+)*@([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z]([a-z\d-]*[a-z\d])?$/;

interface Addresses {
  readonly lines: string;
  readonly author: string;
  /** The distinct addresses in To, Cc and Bcc. */
  readonly recipients: readonly string[];
}

/** The headers of the latest mail to each list of recipients, cached because an output writes the same ones for each mail. */
const written = new WeakMap<Mail['to'], { readonly mail: Correspondents; readonly addresses: Addresses }>();

type Correspondents = Pick<Mail, 'from' | 'to' | 'cc' | 'bcc'>;

/** A mail's address headers. `undefined` if nodemailer is needed but not loaded. */
export function addressesIn(
  { from, to, cc, bcc }: Mail,
  encoders: Encoders | undefined,
): Addresses | undefined {
  const latest = written.get(to);
  if (latest?.mail.from === from && latest.mail.cc === cc && latest.mail.bcc === bcc) return latest.addresses;
  const mail = { from, to, cc, bcc };
  const addresses = addressesOf(mail, encoders);
  if (addresses) written.set(to, { mail, addresses });
  return addresses;
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
  // RFC 5322, 3.6.3 does not require them, but spam filters do.
  if (to.length + (cc?.length ?? 0) === 0) head.add('To', 'undisclosed-recipients:;');
  if (bcc) addressees(bcc);
  return head.isLacking
    ? undefined
    : { lines: head.lines, author: bare(sender), recipients: [...recipients] };
}
