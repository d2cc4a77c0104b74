import type { ConfigCache } from './config.ts';
import type { Handle } from './http/app.ts';
import type { Services } from './services.ts';
import type { Settings } from './settings.ts';

export interface Relay {
  /** Answers a plain request object. Never rejects. */
  readonly handle: Handle;
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly services: Services;
  /** Passes an event of the platform that is not a request to its plug-in. `undefined`: no plug-in takes it. */
  event(event: unknown, timeLeftMs: number): Promise<{ readonly result: unknown } | undefined>;
  /** How many lines of the log were lost because no reader took them. */
  lostLogLines(): number;
  /** Flushes the log, for runtimes that may be frozen after an answer. */
  flush(): void;
  /** Starts no more work beside requests, such as retries: the process is about to end. */
  stopWork(): void;
  /** Waits for deliveries in progress, then closes connections and flushes the log. */
  close(): Promise<void>;
}
