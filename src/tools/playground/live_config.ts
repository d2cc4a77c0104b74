import type { ConfigCache } from '../../config/cache.ts';
import type { Config, ParseResult } from '../../config/parse.ts';
import type { Problem } from '../../config/problem.ts';

/** A config that changes under the owner's hands: its last good version, and what is wrong with the latest. */
export interface LiveConfig extends ConfigCache {
  /** Of the latest text; warnings too, also beside errors. Errors mean that `current` is older than the text. */
  readonly problems: readonly Problem[];
  /** Loads it again. `cache_ttl` does not matter: the owner has saved the file and wants to see it now. */
  reload(): Promise<void>;
}

export function createLiveConfig(name: string, load: () => Promise<ParseResult>): LiveConfig {
  let current: Config | undefined;
  let problems: readonly Problem[] = [];
  let isBroken = true;
  return {
    sourceName: name,
    get current() {
      return current;
    },
    get problems() {
      return problems;
    },
    get state() {
      if (!isBroken) return 'fresh';
      return current ? 'refresh_failed' : 'never_loaded';
    },
    get: () => current,
    reload: async () => {
      const result = await load();
      isBroken = !result.ok;
      if (result.ok) current = result.value;
      problems = result.ok ? result.value.warnings() : result.error;
    },
  };
}
