/** Parts of schemas, and of answers, that several tools share. */
import { err, type Result } from '@form-relay/base/result';
import type { ParseResult } from '@form-relay/config/parse';
import type { Config } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import { type Explained, type ExplainRequest, explain } from '@form-relay/dry-run/explain';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import type { Problem } from '@form-relay/yaml/problem';
import * as z from 'zod/v4';
import { type Draft, type Edit, edited, replaced } from './config_changes.ts';
import type { ConfigView } from './config_view.ts';
import { closedWorld, ToolError } from './owner.ts';
import type { Session } from './session.ts';
import { asWords } from './tool.ts';

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
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Changes of the config on disk instead: each "old" must be in it exactly once, as read_config shows it. Comments and order stay, and so do secrets; leave dots out of "new".',
    ),
};

export interface Candidate {
  readonly text?: string | undefined;
  readonly edits?: readonly Edit[] | undefined;
}

/** The config that is meant, without any secret of the owner's: what stands for them has their form. */
export async function draftOf(candidate: Candidate, session: Session): Promise<string> {
  const now = await session.text();
  if (candidate.text === undefined && candidate.edits === undefined) {
    return session.viewOf(must(now, session.file)).safe;
  }
  const view = session.viewOf(now.ok ? now.value : '');
  return changed(candidate, view, session).safe;
}

/**
 * Inspects the config that is meant without its secrets, and then with them: the relay would load it so, and a secret
 * may be a mistake itself. The error then gives only the place of the mistake.
 */
export async function inspected(candidate: Candidate, session: Session): Promise<ParseResult> {
  const draft = await session.inspect(await draftOf(candidate, session));
  const now = await session.text();
  const own = now.ok ? now.value : '';
  const isOwn = candidate.text === undefined && candidate.edits === undefined;
  const whole = await session.inspect(isOwn ? own : writtenOf(candidate, own, session));
  if (whole.ok) return draft;
  const known = draft.ok ? [] : draft.error;
  const isKnown = ({ code, path }: Problem) => known.some((one) => one.code === code && one.path === path);
  const ofSecrets = whole.error.filter((one) => one.severity === 'error' && !isKnown(one));
  return err([...known, ...ofSecrets.map((one) => ({ ...one, message: ofSecret, excerpt: '' }))]);
}

const ofSecret =
  'the secret there is malformed or in a wrong place; relay config validate shows the owner why';

/** A config to be tried. */
export interface Tried {
  readonly config: Config;
  /** Tells where a submission would lead. */
  explain(form: Form, request: ExplainRequest): Promise<Explained>;
}

/** The config that a dry run takes, without secrets. Throws a `ToolError` that shows every error. */
export async function loadTried(candidate: Candidate, session: Session): Promise<Tried> {
  const loaded = await inspected(candidate, session);
  if (loaded.ok) {
    const config = loaded.value;
    const source = await session.sourceOf(await draftOf(candidate, session));
    const options = { ...closedWorld(config), source };
    return { config, explain: (form, request) => explain(form.id, request, options) };
  }
  const errors = loaded.error.filter(({ severity }) => severity === 'error');
  throw new ToolError(
    `the config does not load; validate_config lists all problems\n\n${asWords(errors, session)}`,
  );
}

/** The config that is meant, with the owner's secrets, to be written. */
export const writtenOf = (candidate: Candidate, now: string, session: Session): string =>
  changed(candidate, session.viewOf(now), session).full;

function changed({ text, edits }: Candidate, view: ConfigView, { file }: Session): Draft {
  if (text !== undefined && edits !== undefined) throw new ToolError('give either text or edits, not both');
  if (text !== undefined) return replaced(text, view);
  if (edits === undefined) throw new ToolError('give text or edits');
  if (view.full === '') throw new ToolError(`${file} has nothing to edit; give text`);
  if (!view.written) throw new ToolError(notYaml(file));
  return edited(edits, view);
}

/** Why a config is neither shown nor edited. */
export const notYaml = (file: string): string =>
  `${file} is not YAML, and any part of it may be a secret, so it is not shown; validate_config says where the mistake is, and the owner ` +
  'corrects it, or give a whole text in its place';

/** Throws a `ToolError` that suggests a name. */
export function formOf({ forms }: Config, name: string): Form {
  const form = forms.get(name);
  if (form) return form;
  const names = [...forms.keys()];
  throw new ToolError(
    `there is no form "${name}"${didYouMean(nearest(name, names))}; the config has ${names.slice(0, 50).join(', ')}`,
  );
}

/** An error in words that a tool answers with. */
export function must<T>(result: Result<T, string>, about: string): T {
  if (!result.ok) throw new ToolError(`${about}: ${result.error}`);
  return result.value;
}
