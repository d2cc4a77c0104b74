import type { Config } from '@form-relay/relay/config';
import { CommandFailed } from '../command_failed.ts';
import { showProblems } from '../terminal.ts';
import { unmasked } from './config_text.ts';
import { must, type Session } from './session.ts';
import { type Candidate, candidateText } from './shared.ts';

/** The config that a dry run takes. Throws a `CommandFailed` that shows every error. */
export async function loadTried(candidate: Candidate, session: Session): Promise<Config> {
  const given = await candidateText(candidate, session);
  const now = await session.text();
  const text = given === undefined ? must(now, session.file) : unmasked(given, now.ok ? now.value : '');
  const loaded = await session.inspect(text);
  if (loaded.ok) return loaded.value;
  const errors = loaded.error.filter(({ severity, file }) => severity === 'error' && file === session.file);
  throw new CommandFailed(
    `the config does not load; validate_config lists all problems\n\n${showProblems(errors)}`,
  );
}
