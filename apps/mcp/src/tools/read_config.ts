import * as z from 'zod/v4';
import { ToolError } from '../owner.ts';
import { must, notYaml } from '../shared.ts';
import { looksOnly, tool } from '../tool.ts';

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
