import { failures } from '@form-relay/core/kit';

/** Of services that signals ask. */
export const failed = failures({
  service_key_refused: 'the service does not take the key',
  service_site_unset: 'neither `site` nor PUBLIC_URL says which site it is for',
  service_without_verdict: 'what the service answered is no verdict',
  service_rests: 'it failed several times and is not asked for half a minute',
  service_no_time: 'there is no time left to ask',
  service_key_unset: ({ name }: { name: string }) => `${name} is not set`,
  service_status: ({ status }: { status: number }) => `the service answered ${status}`,
  service_busy: ({ most }: { most: number }) => `it is asked about ${most} others right now`,
  answer_coded: ({ coding }: { coding: string }) =>
    `the answer has the content coding ${coding}, which the relay neither asked for nor can undo`,
});
