import type { PluginContext } from '@form-relay/core/index';
import type { FailureReason } from '@form-relay/stores/store';
import type { ContentKeys } from './content.ts';
import type { QueueConfig } from './open_stores.ts';
import type { DeliveryError } from './retry_policy.ts';

/** The services of one relay's queue. */
export interface QueueContext extends PluginContext {
  readonly keys: ContentKeys;
  readonly keep: () => QueueConfig | undefined;
  readonly emit: (event: QueueEvent) => void;
}

export type QueueEvent =
  | { readonly kind: 'kept'; readonly form: string; readonly why: DeliveryError | undefined }
  /** A submission is lost, and its visitor reads so. */
  | { readonly kind: 'keep_failed'; readonly form: string; readonly error: DeliveryError }
  | {
      readonly kind: 'tried';
      readonly form: string;
      readonly outcome: AttemptOutcome;
      readonly why?: FailureReason | undefined;
    };

export type AttemptOutcome = 'delivered' | 'put_off' | 'aside';
