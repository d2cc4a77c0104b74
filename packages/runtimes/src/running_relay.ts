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
  /** Passes a platform event that is not a request to a plug-in; `undefined` if no plug-in accepts it. */
  event(event: unknown, timeLeftMs: number): Promise<{ readonly result: unknown } | undefined>;
  /** How many log lines were lost because the reader was too slow. */
  lostLogLines(): number;
  /** Flushes the log, for runtimes that may be frozen after an answer. */
  flush(): void;
  /** Starts no more work outside of requests, such as retries, because the process is about to end. */
  stopWork(): void;
  /** Waits for deliveries in progress, then closes connections and flushes the log. */
  close(): Promise<void>;
}

/** The services and settings for reading clients' configs. */
interface ClientParts {
  readonly plugins: readonly Plugin[];
  readonly context: { readonly services: Services; readonly mailFromAddress: string | undefined };
  readonly sources: PluginSources;
  readonly freezes: boolean | undefined;
  /** Called for each config that was read. */
  readonly onRead: (config: Config) => void;
  /** Called for the merged config of all clients. */
  readonly onLoad: (config: Config) => void;
}

/** Opens a folder with a config for each client. */
export type OpenClients = (parts: ClientParts) => ConfigCache & Pick<Registry, 'paths'> & { close(): void };
