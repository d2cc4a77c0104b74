/** Parts of schemas, and of answers, that several tools share. */
import type { Form, Result } from '@form-relay/relay/base';
import { type Config, didYouMean } from '@form-relay/relay/config';
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
