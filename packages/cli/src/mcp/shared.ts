/** Parts of schemas, and of answers, that several tools share. */
import type { Problem } from '@form-relay/relay/config';
import * as z from 'zod/v4';
import { CommandFailed } from '../command_failed.ts';
import { edited, masked } from './config_text.ts';
import { must, type Session } from './session.ts';

/** Larger configs are built by programs. */
export const mostConfigCharacters = 1_000_000;

export const formName = z.string().max(200).describe('The name of the form, as the config has it.');

export const candidateKeys = {
  text: z
    .string()
    .max(mostConfigCharacters)
    .optional()
    .describe('The whole config as YAML. Default: the config on disk.'),
  edits: z
    .array(z.strictObject({ old: z.string().min(1).max(100_000), new: z.string().max(100_000) }))
    .max(100)
    .optional()
    .describe(
      'Changes of the config on disk instead: each "old" must be in it exactly once, as read_config shows it. Comments and order stay.',
    ),
};

export interface Candidate {
  readonly text?: string | undefined;
  readonly edits?: readonly { readonly old: string; readonly new: string }[] | undefined;
}

/** The config that is meant, as the assistant sees it; `undefined`: the one on disk, as it is. */
export async function candidateText(
  { text, edits }: Candidate,
  session: Session,
): Promise<string | undefined> {
  if (text !== undefined && edits !== undefined)
    throw new CommandFailed('give either text or edits, not both');
  if (edits === undefined) return text;
  return edited(masked(must(await session.text(), session.file)), edits);
}

export const problemShape = z.object({
  severity: z.enum(['error', 'warning']),
  file: z.string(),
  line: z.number(),
  column: z.number(),
  path: z.string().describe('The key, such as forms.contact.outputs[0].on_error.'),
  code: z.string(),
  message: z.string(),
  excerpt: z.string(),
});

/** Problems without what other files hold: lists have addresses of people. */
export const problemsOf = (
  problems: readonly Problem[],
  { file: config }: Session,
): z.input<typeof problemShape>[] =>
  problems.map(({ severity, file, line, column, path, code, message, excerpt }) => {
    const where = { severity, file, line, column, path, code };
    return file === config
      ? { ...where, message, excerpt }
      : { ...where, message: 'relay config validate shows the owner what is wrong there', excerpt: '' };
  });
