import type { ConfigCache } from '@form-relay/core/config';
import type { Handle } from '@form-relay/core/http/app';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { UploadRoom } from './upload_room.ts';

export interface RelayHandle extends Handle {
  /** The memory that all bodies with files share. */
  readonly uploads: UploadRoom;
}

export interface Relay {
  /** Answers a plain request object. Never rejects. */
  readonly handle: RelayHandle;
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly services: Services;
  /** Passes an event of the platform that is not a request to its plug-in. `undefined`: no plug-in takes it. */
  event(event: unknown, timeLeftMs: number): Promise<{ readonly result: unknown } | undefined>;
  /** How many lines of the log were lost because no reader took them. */
  lostLogLines(): number;
  /** Flushes the log, for runtimes that may be frozen after an answer. */
  flush(): void;
  /** Starts no more work outside of requests, such as retries: the process is about to end. */
  stopWork(): void;
  /** Waits for deliveries in progress, then closes connections and flushes the log. */
  close(): Promise<void>;
}
