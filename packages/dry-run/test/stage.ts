import type { RelayRequest } from '@form-relay/core/http/request';
import { createDryRun, type DryRunOptions } from '../src/dry_run.ts';
import type { SubmissionReport } from '../src/report.ts';

/** A dry run with a fixed clock, unless `services` contains one. */
export function stage({ services, ...options }: Partial<DryRunOptions> & { readonly config: string }) {
  const reports: SubmissionReport[] = [];
  const clock = { now: Date.UTC(2030, 0, 1) };
  const { handle, settings } = createDryRun({
    env: {},
    services: { log: () => {}, now: () => clock.now, random: () => 0, sleep: async () => {}, ...services },
    onReport: (report) => reports.push(report),
    ...options,
  });
  /** Returns the response and the report of a submission. */
  const send = async (
    form: string,
    values: Record<string, string> | string,
    { headers, ...request }: Partial<RelayRequest> = {},
  ) => {
    const answer = await handle({
      method: 'POST',
      path: `/api/v1/submit/${form}`,
      query: '',
      ...request,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: Buffer.from(new URLSearchParams(values).toString()),
    });
    const report = reports.at(-1);
    if (!report) throw new Error('there is no report');
    return { answer, report };
  };
  return { send, reports, handle, settings, clock };
}
