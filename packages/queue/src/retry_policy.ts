import { ClientError } from '@form-relay/base/client_error';
import type { DeliveryResult, Form, FormOutput, Services } from '@form-relay/core/index';
import { deliverTo } from '@form-relay/core/pipeline/deliver';
import type { FailureReason } from '@form-relay/stores/store';

/** Why an output did not accept a delivery. */
export type DeliveryError = NonNullable<DeliveryResult['error']>;

/** A failure in the form in which stores keep it. */
export const reasonOf = (error: DeliveryError): FailureReason => ({
  code: codeOf(error),
  words: wordsOf(error),
});

const codeOf = (error: DeliveryError): string =>
  error instanceof ClientError ? (error.code ?? 'other') : error;

export function wordsOf(error: DeliveryError): string {
  if (error instanceof ClientError) return error.message;
  return error === 'unregistered_type' ? 'no such output type' : 'internal error';
}

/** Whether the store was too busy, and wrote nothing. */
export const isBusy = (error: DeliveryError): error is ClientError =>
  error instanceof ClientError && error.code === 'store_busy';

/**
 * Whether a later retry may succeed without the owner's help. Immediate retries need `ClientError.retryAfterMs`:
 * a timeout is not retried while a visitor waits, and a full disk will still be full a second later. Unknown
 * failures count as temporary, because a retry is cheap and giving up costs a lead.
 */
export function mayPass(error: DeliveryError): boolean {
  if (error === 'unregistered_type') return false;
  if (!(error instanceof ClientError) || error.retryAfterMs !== undefined) return true;
  const code = codeOf(error);
  if (error.isLasting || lasting.has(code)) return false;
  const status = statusOf(error);
  if (status !== undefined) return isPassingStatus(status) || isExpired(error);
  const reply = replyOf(error);
  if (reply !== undefined) return !reply.startsWith('5');
  return code !== 'oauth2_refused' || passingErrors.includes(String(paramOf(error, 'error')));
}

/** Failures that only the owner can fix: the other server rejects the message, or the config is wrong. */
const lasting = new Set(
  [
    ['request_malformed', 'service_refused', 'answer_unexpected', 'answer_compressed', 'message_too_large'],
    ['redirect_unfollowed', 'redirected_inside', 'address_inside', 'oauth2_redirected'],
    ['oauth2_no_json', 'oauth2_no_token'],
    ['oauth2_account_malformed'],
    ['no_starttls', 'no_starttls_for_login', 'no_auth', 'login_broken'],
    ['aws_without_region', 'aws_region_malformed', 'aws_fips', 'aws_endpoint_malformed'],
    ['ses_too_many_recipients'],
    ['s3_no_bucket', 's3_access_denied', 's3_access_key_unknown', 's3_secret_key_wrong', 's3_other_region'],
    ['s3_object_not_text', 's3_bucket_unused', 's3_object_too_large', 's3_key_unspeakable'],
    ['folder_is_none', 'folder_denied', 'folder_with_link'],
    ['address_unset', 'address_malformed', 'mail_from_unset', 'rendered_empty'],
    ['signing_secret_malformed', 'signing_secret_of_wrong_size'],
    ['recipients_empty', 'recipients_malformed', 'no_recipients', 'no_smtputf8'],
  ].flat(),
);

/** Temporary errors of RFC 6749, 5.2, and some that servers add. */
const passingErrors = ['temporarily_unavailable', 'server_error', 'slow_down'];

/** Temporary statuses: 5xx; RFC 9110, 15.5.9; RFC 8470; RFC 6585. Unexpected statuses below 400 are left to `accepts`. */
const isPassingStatus = (status: number) => status >= 500 || [408, 425, 429].includes(status);

/** In AWS, expired credentials of a role are replaced automatically. */
const isExpired = (error: ClientError) => /^Expired/.test(String(paramOf(error, 'name')));

const withStatus = new Set(['http_status', 'oauth2_status', 'ses_status', 's3_status']);
const withReply = new Set(['turned_away', 'smtp_refused', 'login_refused']);

const statusOf = (error: ClientError): number | undefined =>
  withStatus.has(codeOf(error)) ? Number(paramOf(error, 'status')) : undefined;

/** The SMTP reply of a failure. A reply that starts with 5 is permanent (RFC 5321, 4.2.1). */
const replyOf = (error: ClientError): string | undefined =>
  withReply.has(codeOf(error)) ? String(paramOf(error, 'reply')) : undefined;

const paramOf = ({ params }: ClientError, name: string): unknown =>
  (params as Readonly<Record<string, unknown>> | undefined)?.[name];

/**
 * The state of a host after a failure: `down` for all deliveries; `perhaps`, because the failure may concern
 * one delivery; or `up`, because the host responded.
 */
export function hostAfter(error: DeliveryError): 'down' | 'perhaps' | 'up' {
  if (!(error instanceof ClientError)) return 'up';
  const code = codeOf(error);
  if (unreached.has(code)) return 'down';
  if (doubtful.has(code)) return 'perhaps';
  const status = statusOf(error);
  // The authorization server may be a different host, and other deliveries to this host need no token.
  if (status !== undefined) return isPassingStatus(status) && code !== 'oauth2_status' ? 'perhaps' : 'up';
  return 'up';
}

const unreached = new Set(
  [
    ['unresolved', 'nobody_listens', 'unreachable', 'turned_away'],
    ['certificate_expired', 'certificate_of_another_name', 'certificate_untrusted'],
    ['aws_credentials_late', 'aws_without_credentials', 'aws_profile_without_credentials'],
    ['folder_missing', 'folder_read_only', 'folder_full'],
  ].flat(),
);

const doubtful = new Set(['timed_out', 'closed', 'tls_failed', 'not_http', 'not_smtp', 'folder_failed']);

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The ages at which a queued delivery is tried. After the last one, it is tried daily. */
const ages = [minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day];

/** The longest random delay, as a fraction of the wait. The delay spreads deliveries that were queued together. */
const spread = 0.1;

/**
 * When a queued delivery is tried next, in milliseconds since the epoch. The time depends only on its age, so
 * stores need nothing else. If the clock was set back, the age counts as 0.
 *
 * @param retryAfterMs The server's Retry-After, up to a day.
 * @param forMs How long to retry: the last attempt comes at its end, not up to a day later.
 */
export function nextTry(
  keptAt: number,
  now: number,
  random: () => number,
  { retryAfterMs = 0, forMs = Infinity }: { retryAfterMs?: number | undefined; forMs?: number } = {},
): number {
  const age = Math.max(0, now - keptAt);
  const next = ages.find((one) => one > age) ?? Math.floor(age / day + 1) * day;
  const last = forMs > age ? forMs : Infinity;
  const wait = Math.min(Math.max(Math.min(next, last) - age, retryAfterMs), day);
  return now + late(wait, random);
}

/**
 * When a delivery is due again that could not be tried because its host is down or its form is missing from
 * the config. Either may end at any time, so the delivery waits at most a tenth of its age.
 */
export function nextAttempt(keptAt: number, now: number, random: () => number): number {
  const wait = Math.min(Math.max(minute, (now - keptAt) / 10), day);
  return now + late(wait, random);
}

/** Adds the random delay. In whole milliseconds, as stores write times. */
const late = (wait: number, random: () => number) => Math.ceil(wait) + Math.round(wait * spread * random());

const known = new WeakMap<Form, Services>();

/** The form's services without log lines for single tries, because each attempt logs one line with its result. */
function quietServices(form: Form): Services {
  let quiet = known.get(form);
  if (!quiet) {
    const { services } = form;
    quiet = {
      ...services,
      log: (level, event, fields) => {
        if (event !== 'retrying' && event !== 'delivery_failed') services.log(level, event, fields);
      },
    };
    known.set(form, quiet);
  }
  return quiet;
}

/** The time for a delivery, including its immediate retries. */
const budgetMs = 24_000;

type Deliverable = Omit<Parameters<typeof deliverTo>[2], 'formId' | 'deadline' | 'services'>;

/** Delivers to an output while no visitor waits. The caller logs the result. */
export const deliverQuietly = async (form: Form, place: number, about: Deliverable) =>
  deliverTo(form.outputs[place] as FormOutput, place, {
    ...about,
    formId: form.id,
    services: quietServices(form),
    deadline: form.services.now() + budgetMs,
  });
