import type { Effects, TryFolder } from '../base/effects.ts';
import { folderProbe } from './folder/folder_probe.ts';
import { httpProbe, type TryConnect } from './http/http_probe.ts';
import type { Target } from './index.ts';
import { type AskBucket, s3Probe } from './s3/s3_probe.ts';
import type { AskSes } from './ses/ses_client.ts';
import { sesProbe } from './ses/ses_probe.ts';
import { type SmtpConnect, smtpProbe } from './smtp/smtp_probe.ts';
import type { Probe } from './transport.ts';

/** Every transport's probe, apart from the transports because a server does not load probes. */
export type Probes = { readonly [T in Target as T['via']]: Probe<T> };

/** The outside world of probes. */
export interface ProbeEffects extends Pick<Effects, 'env' | 'now' | 'http' | 'readFile'> {
  readonly tryConnect: TryConnect;
  readonly connectSmtp: SmtpConnect;
  readonly askSes: AskSes;
  readonly tryFolder: TryFolder;
  readonly listBucket: AskBucket;
  readonly writeIntoBucket: AskBucket;
  /** Whether to test archives by writing to them. */
  readonly writes: boolean;
}

export const createProbes = (effects: ProbeEffects, mailFromAddress: string | undefined): Probes => ({
  http: httpProbe(effects),
  smtp: smtpProbe(effects),
  ses: sesProbe(effects, mailFromAddress),
  folder: folderProbe(effects),
  s3: s3Probe(effects),
});
