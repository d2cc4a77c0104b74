import type { Config } from '@form-relay/relay/config';
import { CommandFailed } from '../command_failed.ts';
import { asWords } from './problems.ts';
import type { Session } from './session.ts';
import { type Candidate, inspected } from './shared.ts';

/** The config that a dry run takes, without secrets. Throws a `CommandFailed` that shows every error. */
export async function loadTried(candidate: Candidate, session: Session): Promise<Config> {
  const loaded = await inspected(candidate, session);
  if (loaded.ok) return loaded.value;
  const errors = loaded.error.filter(({ severity }) => severity === 'error');
  throw new CommandFailed(
    `the config does not load; validate_config lists all problems\n\n${asWords(errors, session)}`,
  );
}
