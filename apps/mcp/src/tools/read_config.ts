import { reportOf } from '@form-relay/doctor/examine';
import * as z from 'zod/v4';
import { ToolError } from '../owner.ts';
import { candidateKeys, inspected, must, notYaml } from '../shared.ts';
import { asksServers, looksOnly, problemShape, problemsOf, tool } from '../tool.ts';

/** As read_manual. Less than the longest text of an answer (bounds.ts), which would cut it. */
const mostShown = 16_000;

export const readConfigTool = tool({
  name: 'read_config',
  title: 'Read the config',
  description:
    "Shows the owner's config as it is on disk. Secrets that stand in it are dots (••••), which edits leave where they are. Long configs come in parts: ask again with from = next_from.",
  annotations: looksOnly,
  input: z.strictObject({ from: z.int().min(0).max(20_000_000).default(0) }),
  output: z.object({
    file: z.string(),
    text: z.string(),
    next_from: z.number().nullable().describe('null: this was the end.'),
  }),
  async run({ from }, session) {
    const view = session.viewOf(must(await session.text(), session.file));
    if (view.full !== '' && !view.written) throw new ToolError(notYaml(session.file));
    const text = view.shown;
    const end = from + mostShown;
    return { file: session.file, text: text.slice(from, end), next_from: end < text.length ? end : null };
  },
});

export const validateConfig = tool({
  name: 'validate_config',
  title: 'Validate a config',
  description:
    'Checks a config as the relay does when it loads it, and lists every mistake with its line and what would be right. Without text and edits, it checks the config on disk. It writes nothing and asks no server.',
  annotations: looksOnly,
  input: z.strictObject(candidateKeys),
  output: z.object({
    ok: z.boolean().describe('Whether it loads. Warnings do not keep it from loading.'),
    problems: z.array(problemShape),
  }),
  async run(input, session) {
    const loaded = await inspected(input, session);
    const problems = loaded.ok ? await loaded.value.warnings() : loaded.error;
    return { ok: loaded.ok, problems: problemsOf(problems, session) };
  },
});

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
