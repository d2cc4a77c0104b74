/** Parts of schemas, and of answers, that several tools share. */
import type { Form, Result } from '@form-relay/relay/base';
import { type Config, didYouMean, type Problem } from '@form-relay/relay/config';
import * as z from 'zod/v4';
import { CommandFailed } from '../command_failed.ts';
import { type Edit, edited, filled, masked, standIns } from './config_text.ts';
import type { Session } from './session.ts';

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
  readonly edits?: readonly Edit[] | undefined;
}

/** The config that is meant, without any secret of the owner's: what stands for them has their form. */
export async function draftOf(candidate: Candidate, session: Session): Promise<string> {
  const now = await session.text();
  const safe = now.ok ? standIns(now.value) : '';
  if (candidate.text === undefined && candidate.edits === undefined) {
    must(now, session.file);
    return safe;
  }
  return madeOf(candidate, now.ok ? masked(now.value) : '', safe, session);
}

/** The same with the owner's secrets, to be written. */
export async function writtenOf(candidate: Candidate, now: string, session: Session): Promise<string> {
  return madeOf(candidate, masked(now), now, session);
}

function madeOf({ text, edits }: Candidate, shown: string, full: string, { file }: Session): string {
  if (text !== undefined && edits !== undefined)
    throw new CommandFailed('give either text or edits, not both');
  if (text !== undefined) return filled(text, shown, full);
  if (edits === undefined) throw new CommandFailed('give text or edits');
  if (full === '') throw new CommandFailed(`${file} has nothing to edit; give text`);
  return edited(shown, full, edits);
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

/** Problems as text, without colours. */
export const asWords = (problems: readonly Problem[], session: Session): string =>
  problemsOf(problems, session)
    .map(({ file, line, column, path, message, excerpt }) =>
      [`${file}:${line}:${column}: ${path && `${path}: `}${message}`, excerpt].filter(Boolean).join('\n'),
    )
    .join('\n');

/** Throws a `CommandFailed` that suggests a name. */
export function formOf({ forms }: Config, name: string): Form {
  const form = forms.get(name);
  if (form) return form;
  const names = [...forms.keys()];
  throw new CommandFailed(
    `there is no form "${name}"${didYouMean(name, names)}; the config has ${names.slice(0, 50).join(', ')}`,
  );
}

/** An error in words that a tool answers with. */
export function must<T>(result: Result<T, string>, about: string): T {
  if (!result.ok) throw new CommandFailed(`${about}: ${result.error}`);
  return result.value;
}
