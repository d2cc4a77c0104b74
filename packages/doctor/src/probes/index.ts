/** The tests of connections, by the protocol that a transport names. */
import type { AskSes } from '@form-relay/clients/aws/ses_client';
import type { tryFolder } from '@form-relay/clients/folder';
import type { Services } from '@form-relay/core/services';
import { type AskBucket, folderProbe, s3Probe } from './archives.ts';
import type { Probe, Target } from './connection.ts';
import { httpProbe, type TryConnect } from './http.ts';
import { sesProbe } from './ses.ts';
import { type SmtpConnect, smtpProbe } from './smtp.ts';

export type Probes = { readonly [T in Target as T['protocol']]: Probe<T> };

/** The outside world of probes. */
export interface ProbeContext extends Pick<Services, 'env' | 'now' | 'http'> {
  readonly tryConnect: TryConnect;
  readonly connectSmtp: SmtpConnect;
  readonly askSes: AskSes;
  readonly tryFolder: typeof tryFolder;
  readonly listBucket: AskBucket;
  readonly writeIntoBucket: AskBucket;
  /** Whether to test archives by writing to them. */
  readonly writes: boolean;
}

export const createProbes = (context: ProbeContext, mailFromAddress: string | undefined): Probes => ({
  http: httpProbe(context),
  smtp: smtpProbe(context),
  ses: sesProbe(context, mailFromAddress),
  folder: folderProbe(context),
  s3: s3Probe(context),
});
