import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/v4';
import { CommandFailed } from '../../command_failed.ts';
import { saveConfig } from '../../save_config.ts';
import { whyUnwritten } from '../../why_unwritten.ts';
import { unmasked } from '../config_text.ts';
import { must } from '../session.ts';
import { candidateKeys, candidateText, problemShape, problemsOf } from '../shared.ts';
import { tool } from '../tool.ts';

export const writeConfig = tool({
  name: 'write_config',
  title: 'Write the config',
  description:
    "Writes the config's file, and no other: whole as text, or by edits, which keep comments and order. It writes only what loads; else it lists the mistakes. Before the first change, it copies the file to one that ends with .before-assistant. A relay that runs takes the new config by itself, so that visitors' submissions go where it says: show the owner what changes, and ask. Afterwards, tools that use the owner's servers wait for a restart.",
  // A running relay delivers to where the config says.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  // What visitors wrote must never be able to change where submissions go (D207).
  isIn: ({ showsValues }) => !showsValues,
  input: z.strictObject(candidateKeys),
  output: z.object({
    written: z.boolean(),
    file: z.string(),
    backup: z.string().nullable().describe('The copy of what was there before; null: nothing was.'),
    problems: z.array(problemShape).describe('Errors if it was not written, warnings if it was.'),
  }),
  async run(input, session) {
    const asked = await candidateText(input, session);
    if (asked === undefined) throw new CommandFailed('give text or edits');
    const now = await session.text();
    const text = unmasked(asked, now.ok ? now.value : '');
    const loaded = await session.inspect(text);
    const { file } = session;
    if (!loaded.ok)
      return { written: false, file, backup: null, problems: problemsOf(loaded.error, session) };
    const problems = problemsOf(await loaded.value.warnings(Date.now()), session);
    const backup = `${file}.before-assistant`;
    if (now.ok && session.textBefore === undefined) await copyOver(file, backup);
    const saved = must(await saveConfig(file, text, now.ok ? now.value : undefined), file);
    if (saved === 'changed') throw new CommandFailed(`${file} was changed meanwhile; read it again`);
    session.textBefore ??= now.ok ? now.value : '';
    return { written: true, file, backup: session.textBefore === '' ? null : backup, problems };
  },
});

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
