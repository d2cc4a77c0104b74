/** The tests of connections for `relay doctor`, by protocol: `Services.probes`. */
import type { Probes, Services } from '@form-relay/core/services';
import { type AskSes, sesReader } from '../aws/ses_client.ts';
import type { Probe } from './connection.ts';
import { createTryConnect, httpProbe, type TryConnect } from './http.ts';
import { sesProbe } from './ses.ts';
import { createSmtpConnect, type SmtpConnect, smtpProbe } from './smtp.ts';

/** The outside world of probes. */
export interface ProbeContext extends Pick<Services, 'env' | 'now' | 'http'> {
  readonly tryConnect: TryConnect;
  readonly connectSmtp: SmtpConnect;
  readonly askSes: AskSes;
  /** SMTP_EHLO_NAME. */
  readonly ehloName: string | undefined;
}

export const createProbes = (context: ProbeContext): Probes => ({
  http: onceForEach(httpProbe(context)),
  smtp: onceForEach(smtpProbe(context)),
  ses: onceForEach(sesProbe(context)),
});

/** Services of this process. */
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

/** Outputs with the same server share its test. Outputs have the keys of the protocol, by their types. */
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
