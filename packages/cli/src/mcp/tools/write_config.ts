import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/v4';
import { CommandFailed } from '../../command_failed.ts';
import { saveConfig } from '../../save_config.ts';
import { whyUnwritten } from '../../why_unwritten.ts';
import { problemShape, problemsOf } from '../problems.ts';
import type { Session } from '../session.ts';
import { type Candidate, candidateKeys, draftOf, must, writtenOf } from '../shared.ts';
import { tool } from '../tool.ts';

export const writeConfig = tool({
  name: 'write_config',
  title: 'Write the config',
  description:
    "Writes the config's file, and no other: whole as text, or by edits, which keep comments and order. It writes only what loads; else it lists the mistakes. Before the first change, it copies the file to one that ends with .before-assistant. A relay that runs takes the new config by itself, so that visitors' submissions go where it says: show the owner what changes, and ask. Afterwards, tools that use the owner's servers wait for a restart.",
  // A running relay delivers to where the config says.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  // Visitors' words must never change where submissions go (D207).
  isIn: ({ showsValues }) => !showsValues,
  input: z.strictObject(candidateKeys),
  output: z.object({
    written: z.boolean(),
    file: z.string(),
    backup: z.string().nullable().describe('The copy of what was there before; null: nothing was.'),
    problems: z.array(problemShape).describe('Errors if it was not written, warnings if it was.'),
  }),
  async run(input, session) {
    const seen = await session.text();
    return session.inTurn(async () => {
      const { file } = session;
      const backup = `${file}.before-assistant`;
      const draft = await session.inspect(await draftFor(input, session));
      const problems = problemsOf(draft.ok ? await draft.value.warnings(Date.now()) : draft.error, session);
      if (!draft.ok) return { written: false, file, backup: null, problems };
      const now = await session.text();
      // Another call may have had its turn before.
      if (now.ok && !(seen.ok && seen.value === now.value))
        throw new CommandFailed(`${file} was changed meanwhile; read it again`);
      const text = writtenOf(input, now.ok ? now.value : '', session);
      // The draft had stand-ins for secrets; nothing is shown of why these do not load.
      if (!(await session.inspect(text)).ok)
        throw new CommandFailed(
          'a secret in the config is malformed; the owner sees it with relay config validate',
        );
      if (now.ok && !session.hasCopied) await copyOver(file, backup);
      const saved = must(await saveConfig(file, text, now.ok ? now.value : undefined), file);
      if (saved === 'changed') throw new CommandFailed(`${file} was changed meanwhile; read it again`);
      session.hasCopied ||= now.ok;
      return { written: true, file, backup: session.hasCopied ? backup : null, problems };
    });
  },
});

/** Requires a text or edits: a call without either would claim to have written. */
function draftFor(input: Candidate, session: Session): Promise<string> {
  if (input.text === undefined && input.edits === undefined) throw new CommandFailed('give text or edits');
  return draftOf(input, session);
}

/** Copies a file whole or not at all, and follows no link that stands in its place. */
async function copyOver(file: string, to: string): Promise<void> {
  const beside = join(dirname(to), `.${basename(to)}.${randomUUID()}.new`);
  try {
    await copyFile(file, beside, constants.COPYFILE_EXCL);
    await rename(beside, to);
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    throw new CommandFailed(`${to}: ${whyUnwritten(error)}`);
  }
}
