/** Reads mails that came back: delivery status notifications (RFC 3464), as far as they concern a mail of the relay's. */
import { createHash } from 'node:crypto';
import type { MailEvent } from '../../base/bounces.ts';
import { codeIn, kindOf } from './classify.ts';
import { partsOf, readToken } from './verp.ts';

/** Headers and the status stand at the beginning, before the mail that came back. */
const mostCharacters = 262_144;
const mostRecipients = 50;
const mostTokens = 20;

interface Reading {
  /** The address in the config. */
  readonly address: string;
  readonly secret: string;
  readonly now: number;
}

/**
 * The failures that a mail reports. None without a token of ours in the address to which it came, whatever else it says: anybody
 * can send a mail there.
 */
export function readDsn(mail: Buffer, { address, secret, now }: Reading): readonly MailEvent[] {
  const text = mail.toString('latin1', 0, mostCharacters).replaceAll('\r\n', '\n');
  const { headers, body } = entityIn(text);
  const found = tokensIn(headers, address)
    .map((token) => readToken(secret, token, now))
    .find((read) => read !== undefined);
  if (!found) return [];
  const { to, sentBefore } = found;
  // Each server that gives up sends a report of its own, and so does a server that is sent another mail within the hour of the token.
  const id = createHash('sha256').update(text).digest('hex').slice(0, 20);
  const status = statusIn(headers, body);
  return recipientsIn(status).flatMap((fields, index): readonly MailEvent[] => {
    if (fields.get('action')?.trim().toLowerCase() !== 'failed') return [];
    // Programs write 5.0.0, or none, where the reply says more.
    const code = codeIn(fields.get('status'), fields.get('diagnostic-code'));
    const reported = addressIn(fields.get('original-recipient')) ?? addressIn(fields.get('final-recipient'));
    const recipient = 'output' in to ? { ...to, reported } : to;
    return [
      { id: `${id} ${index}`, kind: kindOf(false, code), recipient, at: Math.min(now, sentBefore), code },
    ];
  });
}

type Fields = ReadonlyMap<string, string>;

/** The first of each name, in lower case, unfolded. */
function fieldsIn(block: string): Fields {
  const fields = new Map<string, string>();
  for (const line of block.replaceAll(/\n[ \t]+/g, ' ').split('\n')) {
    const [, name = '', value = ''] = /^([!-9;-~]{1,100}):[ \t]*(.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key !== '' && !fields.has(key)) fields.set(key, value);
  }
  return fields;
}

function entityIn(text: string): { readonly headers: Fields; readonly body: string } {
  const end = text.startsWith('\n') ? 0 : text.indexOf('\n\n');
  return end < 0
    ? { headers: fieldsIn(text), body: '' }
    : { headers: fieldsIn(text.slice(0, end)), body: text.slice(end).replace(/^\n{1,2}/, '') };
}

/** Servers name the address to which it came in one of these. */
const addressed = ['delivered-to', 'x-original-to', 'envelope-to', 'to'];

function tokensIn(headers: Fields, address: string): readonly string[] {
  const { local, domain } = partsOf(address.toLowerCase());
  const [start, end] = [`${local}+`, `@${domain}`];
  return addressed
    .flatMap((name) =>
      (headers.get(name) ?? '')
        .slice(0, 2_000)
        .toLowerCase()
        .split(/[\s,;<>"]+/),
    )
    .filter((one) => one.startsWith(start) && one.endsWith(end))
    .map((one) => one.slice(start.length, -end.length))
    .slice(0, mostTokens);
}

/** The text of the part with the status; empty if there is none. */
function statusIn(headers: Fields, body: string): string {
  const type = headers.get('content-type') ?? '';
  const isReport = /^multipart\/report\b/i.test(type) && /\breport-type="?delivery-status\b/i.test(type);
  const [, quoted, plain] = /\bboundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (!isReport || boundary === undefined) return '';
  for (const part of `\n${body}`.split(`\n--${boundary}`).slice(1, 20)) {
    const entity = entityIn(part.replace(/^[^\n]*\n/, ''));
    const ofPart = entity.headers.get('content-type') ?? '';
    if (/^message\/(global-)?delivery-status\b/i.test(ofPart)) return entity.body;
  }
  return '';
}

/** The first block is about the mail, the others are about its recipients. */
const recipientsIn = (status: string): readonly Fields[] =>
  status
    .split(/\n[ \t]*\n/)
    .slice(1, mostRecipients + 1)
    .map(fieldsIn);

/** After the type of the address: `rfc822; ada@example.com`. */
const addressIn = (field: string | undefined): string | undefined =>
  /^\s*rfc822\s*;\s*<?([^\s<>;]{3,254})>?\s*$/i.exec(field ?? '')?.[1]?.toLowerCase();
