import type { Effects } from '../base/effects.ts';
import type { FolderMessage, FolderTarget } from './folder/folder_message.ts';
import { folderTransport } from './folder/folder_transport.ts';
import type { HttpMessage, HttpTarget } from './http/http_message.ts';
import { httpTransport } from './http/http_transport.ts';
import { createLateWithToken } from './oauth2/late_with_token.ts';
import type { S3Message, S3Target } from './s3/s3_message.ts';
import { s3Transport } from './s3/s3_transport.ts';
import type { SesMessage, SesTarget } from './ses/ses_message.ts';
import { sesTransport } from './ses/ses_transport.ts';
import type { SmtpMessage, SmtpTarget } from './smtp/smtp_message.ts';
import { smtpTransport } from './smtp/smtp_transport.ts';
import type { Transport } from './transport.ts';

/** What outputs make of a job. */
export type Message = HttpMessage | SmtpMessage | SesMessage | FolderMessage | S3Message;
/** Where outputs deliver. */
export type Target = HttpTarget | SmtpTarget | SesTarget | FolderTarget | S3Target;

/** Those that a mail can go to. */
export const takesMails = (target: Target): target is SmtpTarget | SesTarget =>
  target.via === 'smtp' || target.via === 'ses';

/** Every transport, by the name that a message's `via` gives. */
export type Transports = { readonly [M in Message as M['via']]: Transport<M> };

/** Adding a transport is a folder, and a line in each of these. */
export function createTransports(
  effects: Pick<Effects, 'http' | 'smtp' | 'ses' | 'storeFile' | 'putObject' | 'readFile' | 'env' | 'now'>,
  mailFromAddress: string | undefined,
): Transports {
  const withToken = createLateWithToken(effects);
  return {
    http: httpTransport({ ...effects, withToken }),
    smtp: smtpTransport({ ...effects, withToken }),
    ses: sesTransport(effects, mailFromAddress),
    folder: folderTransport(effects),
    s3: s3Transport(effects),
  };
}

/** The transport of a message. */
export const transportOf = (transports: Transports, { via }: Message): Transport<Message> =>
  transports[via] as Transport<Message>;
