import { constants } from 'node:fs';
import { copyFile, lstat, readFile } from 'node:fs/promises';
import { reportOf } from '@form-relay/doctor/examine';
import * as z from 'zod/v4';
import { type Owner, ToolError } from '../owner.ts';
import {
  asksServers,
  candidateKeys,
  inspected,
  looksOnly,
  must,
  notYaml,
  problemShape,
  problemsOf,
  tool,
  writtenOf,
} from '../tool.ts';

/** As in read_manual. Smaller than the limit in bounds.ts, which would truncate the text. */
const mostShown = 16_000;

export const readConfigTool = tool({
  name: 'read_config',
  title: 'Read the config',
  description:
    "Shows the owner's config as it is on disk. Secrets appear as dots (••••), which edits leave in place. Long configs come in parts: ask again with from = next_from.",
  annotations: looksOnly,
  input: z.strictObject({ from: z.int().min(0).max(20_000_000).default(0) }),
  output: z.object({
    file: z.string(),
    text: z.string(),
    next_from: z.number().nullable().describe('null: no more pages.'),
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
    'Checks a config as the relay does when loading it, and lists every mistake with its line and a remedy. Without text and edits, the tool checks the config on disk. Nothing is written, and no server is contacted.',
  annotations: looksOnly,
  input: z.strictObject(candidateKeys),
  output: z.object({
    ok: z.boolean().describe('Whether the config loads. Warnings do not prevent that.'),
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
    "Checks everything that a submission needs, as relay doctor does: variables, the config's servers, passwords, certificates, DNS, stores. The tool connects to the owner's servers and signs in, but sends no mail and no submission, and writes nothing. Allow half a minute. The checks run on this server's machine, which may not be the relay's.",
  annotations: asksServers,
  input: z.strictObject({}),
  output: z.object({
    ok: z.number(),
    warnings: z.number(),
    failures: z.number().describe('Problems that would lose or delay submissions.'),
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
    // The doctor would quote a mistake in a list. For a config that does not load, these errors are all there is to report.
    await session.ownConfig();
    return reportOf(await session.owner.diagnose(await session.ownSource()));
  },
});

export const writeConfig = tool({
  name: 'write_config',
  title: 'Write the config',
  description:
    "Writes the config's file, and no other: whole as text, or by edits, which keep comments and order. A config that does not load is not written; the tool lists its mistakes instead. Before the first change, it copies the file to one beside it, with .before-assistant in its name, and never replaces an earlier copy. A running relay loads the new config automatically, so visitors' submissions, and the passwords and headers of each output, go where the new config says: show the owner what changes, and ask. Afterwards, tools that use the owner's servers wait for a restart.",
  // A running relay delivers to the addresses in the config.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  // A visitor's words must never change where submissions are sent.
  isIn: ({ showsValues, asks }) => !showsValues && !asks,
  input: z.strictObject(candidateKeys),
  output: z.object({
    written: z.boolean(),
    file: z.string(),
    backup: z.string().nullable().describe('The copy of the previous file; null if there was none.'),
    problems: z.array(problemShape).describe('Errors if the config was not written, warnings if it was.'),
  }),
  async run(input, session) {
    const seen = await session.text();
    return session.inTurn(async () => {
      const { file } = session;
      const draft = await inspected(input, session);
      const problems = problemsOf(draft.ok ? await draft.value.warnings() : draft.error, session);
      if (!draft.ok) return { written: false, file, backup: null, problems };
      const now = await session.text();
      // Another call may have written before.
      if (now.ok && !(seen.ok && seen.value === now.value))
        throw new ToolError(`${file} was changed in the meantime; read it again`);
      const text = writtenOf(input, now.ok ? now.value : '', session);
      if (now.ok && now.value === text) return { written: true, file, backup: session.backup, problems };
      const saved = await session.owner.save(text, now.ok ? now.value : undefined, async () => {
        if (now.ok) session.backup ??= await copyOf(session.owner, now.value);
      });
      if (must(saved, file) === 'changed')
        throw new ToolError(`${file} was changed in the meantime; read it again`);
      return { written: true, file, backup: session.backup, problems };
    });
  },
});

/** More copies would be too many to look through. */
const mostCopies = 50;

/** Copies the config to a new file, unless a copy is identical. Follows no link and overwrites nothing. */
async function copyOf({ file, whyUnwritten }: Owner, text: string): Promise<string> {
  for (let number = 1; number <= mostCopies; number += 1) {
    const to = `${file}.before-assistant${number === 1 ? '' : `.${number}`}`;
    try {
      await copyFile(file, to, constants.COPYFILE_EXCL);
      return to;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new ToolError(`${to}: ${whyUnwritten(error)}`);
    }
    const earlier = await lstat(to);
    if (earlier.isFile() && (await readFile(to, 'utf8')) === text) return to;
  }
  throw new ToolError(
    `${file} has ${mostCopies} copies named .before-assistant; the owner must delete old ones`,
  );
}
