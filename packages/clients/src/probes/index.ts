/** The connection tests of `relay doctor`, by protocol: `Services.probes`. */
import type { Probes, Services } from '@form-relay/core/services';
import { type AskSes, sesReader } from '../aws/ses_client.ts';
import type { Probe } from './connection.ts';
import { createTryConnect, httpProbe, type TryConnect } from './http.ts';
import { sesProbe } from './ses.ts';
import { createSmtpConnect, type SmtpConnect, smtpProbe } from './smtp.ts';

/** The parts of the environment that probes need. */
export interface ProbeContext extends Pick<Services, 'env' | 'now' | 'http'> {
  readonly tryConnect: TryConnect;
  readonly connectSmtp: SmtpConnect;
  readonly askSes: AskSes;
  /** The name in SMTP_EHLO_NAME. */
  readonly ehloName: string | undefined;
}

export const createProbes = (context: ProbeContext): Probes => ({
  http: onceForEach(httpProbe(context)),
  smtp: onceForEach(smtpProbe(context)),
  ses: onceForEach(sesProbe(context)),
});

/** The probes for this process. */
export const openProbes = (
  services: Pick<Services, 'env' | 'now' | 'http' | 'aws'>,
  ehloName: string | undefined,
): Probes =>
  createProbes({
    ...services,
    ehloName,
    tryConnect: createTryConnect(),
    connectSmtp: createSmtpConnect({ ehloName }),
    askSes: async (...request) => sesReader(await services.aws())(...request),
  });

/** Tests each server once for all outputs that use it. Outputs have the keys of the protocol because of their types. */
function onceForEach<T>(probe: Probe<T>): Probes[keyof Probes] {
  const found = new Map<string, ReturnType<Probe<T>['examine']>>();
  return (keys, { timeoutMs }) => {
    const target = keys as T;
    const server = probe.serverOf(target);
    const examining = found.get(server) ?? probe.examine(target, timeoutMs);
    found.set(server, examining);
    return examining;
  };
}
