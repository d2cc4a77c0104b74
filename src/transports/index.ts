import type { Effects } from '../effects.ts';
import type { HttpMessage, HttpTarget } from './http/http_message.ts';
import { httpTransport } from './http/http_transport.ts';
import { createLateWithToken } from './oauth2/late_with_token.ts';
import type { SesMessage, SesTarget } from './ses/ses_message.ts';
import { sesTransport } from './ses/ses_transport.ts';
import type { SmtpMessage, SmtpTarget } from './smtp/smtp_message.ts';
import { smtpTransport } from './smtp/smtp_transport.ts';
import type { Transport } from './transport.ts';

/** What outputs make of a job. */
export type Message = HttpMessage | SmtpMessage | SesMessage;
/** Where outputs deliver. */
export type Target = HttpTarget | SmtpTarget | SesTarget;

/** Every transport, by the name that a message's `via` gives. */
export type Transports = { readonly [M in Message as M['via']]: Transport<M> };

/** Adding a transport is a folder, and a line in each of these. */
export function createTransports(
  effects: Pick<Effects, 'http' | 'smtp' | 'ses' | 'env' | 'now'>,
  mailFromAddress: string | undefined,
): Transports {
  const withToken = createLateWithToken(effects);
  return {
    http: httpTransport({ ...effects, withToken }),
    smtp: smtpTransport({ ...effects, withToken }),
    ses: sesTransport(effects, mailFromAddress),
  };
}

/** The transport of a message. */
export const transportOf = (transports: Transports, { via }: Message): Transport<Message> =>
  transports[via] as Transport<Message>;
