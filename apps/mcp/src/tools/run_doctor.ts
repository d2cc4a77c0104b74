import { reportOf } from '@form-relay/doctor/report';
import * as z from 'zod/v4';
import { asksServers, tool } from '../tool.ts';

export const runDoctor = tool({
  name: 'run_doctor',
  title: 'Run the doctor',
  description:
    "Checks everything that a submission needs, as relay doctor does: variables, the config's servers, passwords, certificates, DNS, stores. It connects to the owner's servers and signs in, but sends no mail and no submission, and writes nothing. It takes up to half a minute. It runs where this server runs, which may not be where the relay runs.",
  annotations: asksServers,
  input: z.strictObject({}),
  output: z.object({
    ok: z.number(),
    warnings: z.number(),
    failures: z.number().describe('Each would lose or delay submissions.'),
    diagnoses: z.array(
      z.looseObject({
        examination: z.string(),
        subject: z.string(),
        verdict: z.enum(['ok', 'warning', 'failure']),
        says: z.string(),
        remedy: z.string().optional(),
      }),
    ),
  }),
  async run(_, session) {
    // The doctor would quote a mistake in a list; for a config that does not load, these errors are all there is to
    // report.
    await session.ownConfig();
    return reportOf(await session.owner.diagnose(await session.ownSource()));
  },
});
