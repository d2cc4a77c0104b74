import type { Submission, UnknownClient } from '@form-relay/core/index';

/** Warns that the sender of a submission is unknown, once a process and reason. */
export function unknownClientLog(): (client: UnknownClient, submission: Submission) => void {
  const told = new Set<UnknownClient['why']>();
  return (client, submission) => {
    if (told.has(client.why)) return;
    told.add(client.why);
    const reason = unknownClientWords(client);
    submission.log('warn', 'client_unknown', { reason });
  };
}

export function unknownClientWords(client: UnknownClient): string {
  switch (client.why) {
    case 'no_peer':
      return 'the runtime does not say who connected';
    case 'proxy_unlisted':
      return `it comes from ${client.network}, as from a proxy; name that in TRUSTED_PROXIES, or write none where no proxy is`;
    case 'proxy_silent':
      return 'a proxy of TRUSTED_PROXIES does not say whom it speaks for in the header of PROXY_HEADER';
  }
}
