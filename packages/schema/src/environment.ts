import type { EnvUse } from './diagnostics.ts';

/** A config that loads without its environment variables, though some of its forms fail. */
interface Uses {
  readonly env: readonly EnvUse[];
}

export const neededIn = ({ env }: Uses): readonly EnvUse[] => env.filter(({ isNeeded }) => isNeeded);

/** The names of variables that a config needs and that are not set. An empty value counts as unset. */
export const unsetIn = (
  config: Uses,
  { env }: { env(name: string): string | undefined },
): readonly string[] => [...new Set(neededIn(config).flatMap(({ name }) => (env(name) ? [] : name)))];
