import type { Effects } from '../base/effects.ts';
import { late } from '../base/late.ts';
import type { Template } from '../schema/template/render.ts';
import { type FolderMessage, type FolderTarget, folderTransport } from './folder/folder_transport.ts';
import { type HttpMessage, type HttpTarget, httpTransport } from './http/http_transport.ts';
import type { WithToken } from './oauth2/tokens.ts';
import { type S3Message, type S3Target, s3Transport } from './s3/s3_transport.ts';
import { type SesMessage, type SesTarget, sesTransport } from './ses/ses_transport.ts';
import { type SmtpMessage, type SmtpTarget, smtpTransport } from './smtp/smtp_transport.ts';
import type { Transport } from './transport.ts';

export type Message = HttpMessage | SmtpMessage | SesMessage | FolderMessage | S3Message;
export type Target = HttpTarget | SmtpTarget | SesTarget | FolderTarget | S3Target;

/** Whether it is a target for mails. */
export const takesMails = (target: Target | undefined): target is SmtpTarget | SesTarget =>
  target?.via === 'smtp' || target?.via === 'ses';

/** The templates of everybody whom a mail goes to; none where no mail is sent. */
export const recipientsOf = (target: Target | undefined): readonly Template[] =>
  takesMails(target) ? [...target.to, ...(target.cc ?? []), ...(target.bcc ?? [])] : [];

export type Transports = { readonly [M in Message as M['via']]: Transport<M> };

/** A new transport adds a folder, and a line to each list in this file. */
export function createTransports(
  effects: Pick<Effects, 'http' | 'smtp' | 'ses' | 'storeFile' | 'putObject' | 'readFile' | 'env' | 'now'>,
  mailFromAddress: string | undefined,
): Transports {
  const tokens = late(async () => (await import('./oauth2/tokens.ts')).createWithToken(effects));
  const withToken: WithToken = async (...given) => (await tokens.load())(...given);
  return {
    http: httpTransport({ ...effects, withToken }),
    smtp: smtpTransport({ ...effects, withToken }),
    ses: sesTransport(effects, mailFromAddress),
    folder: folderTransport(effects),
    s3: s3Transport(effects),
  };
}

export const transportOf = (transports: Transports, { via }: Message): Transport<Message> =>
  transports[via] as Transport<Message>;
