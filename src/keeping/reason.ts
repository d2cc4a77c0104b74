import { ClientError } from '../client_error.ts';
import type { DeliveryError } from '../event.ts';
import type { KeptReason } from '../kept.ts';
import { failureWords } from '../observers/submission_log.ts';

/** Why something is owed, as the store keeps it. */
export const reasonOf = (error: DeliveryError | undefined): KeptReason | undefined =>
  error && { code: error instanceof ClientError ? error.code : error, words: failureWords(error) };

/** Whether another try may end differently though nobody mends anything. */
export const mayPass = (error: DeliveryError): boolean =>
  error instanceof ClientError && error.retryAfterMs !== undefined;
