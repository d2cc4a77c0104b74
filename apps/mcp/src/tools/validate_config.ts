import * as z from 'zod/v4';
import { problemShape, problemsOf } from '../problems.ts';
import { candidateKeys, inspected } from '../shared.ts';
import { looksOnly, tool } from '../tool.ts';

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
