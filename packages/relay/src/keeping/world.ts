import type { Effects } from '../base/effects.ts';
import type { Observer } from '../base/event.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { Settings } from '../schema/settings/settings.ts';
import type { Transports } from '../transports/index.ts';

/** What keeping and trying again work with. */
export interface World {
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly effects: Effects;
  readonly transports: Transports;
  readonly observers: readonly Observer[];
}
