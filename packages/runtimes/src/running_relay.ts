import type { PluginSources } from '@form-relay/config/parse';
import type { Config, ConfigCache, Registry } from '@form-relay/core/config';
import type { Handle } from '@form-relay/core/http/app';
import type { Plugin } from '@form-relay/core/plugin';
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

/** Services and settings that the configs of clients are read with. */
interface ClientParts {
  readonly plugins: readonly Plugin[];
  readonly context: { readonly services: Services; readonly mailFromAddress: string | undefined };
  readonly sources: PluginSources;
  readonly freezes: boolean | undefined;
  /** Called for each config that was read. */
  readonly onRead: (config: Config) => void;
  /** Called for all of them as one. */
  readonly onLoad: (config: Config) => void;
}

/** Opens a folder with a config for each client. */
export type OpenClients = (parts: ClientParts) => ConfigCache & Pick<Registry, 'paths'> & { close(): void };
