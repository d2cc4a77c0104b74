import { clientNames } from '@form-relay/base/client';
import { type Finding, ok, warning } from '@form-relay/base/finding';
import { chain } from '@form-relay/base/maybe_promise';
import { clientNetwork, writeNetwork } from '@form-relay/base/networks';
import { createRates } from '@form-relay/base/rates';
import type { CheckContext } from '@form-relay/core/command';
import type { Outcome, Plugin, Rate, Rates, Submission, UnknownClient } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { isFinal } from '@form-relay/core/submission';
import { rate, timeInWords } from '@form-relay/schema/duration';
import { optional } from '@form-relay/schema/schema';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly rate_limit: Rate;
  }
}

const keys = {
  rate_limit: optional(
    'Limit for one visitor, such as `5 per 10m`. In a form, `off` lifts the limit at the top.',
    rate(),
  ),
};

/**
 * Limits how often a client sends a form. Each copy of the relay counts separately. A submission that is
 * returned for correction does not count.
 */
export const plugin = (): Plugin => {
  let rates: Rates | undefined;
  const nameOf = clientNames();
  const logUnknown = unknownClientLog();

  const tooOften = (limit: Rate, waitMs: number, network: string, submission: Submission): Outcome => {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    submission.addLogFields({ client: nameOf(network, submission) });
    return {
      kind: 'rate_limited',
      status: 429,
      message: { code: 'rate_limited', params: { wait: { seconds } } },
      headers: { 'retry-after': String(seconds) },
      why: `more than ${limit.most} within ${timeInWords(limit.withinMs)}`,
      isFrequent: true,
    };
  };

  return {
    name: 'rate_limit',
    checks: [{ name: 'Environment', probe: async (context) => proxiesFound(context) }],
    features: [
      feature({
        name: 'rate_limit',
        keys: { form: keys, top: keys },
        configure: ({ form, top }) => {
          const limit = form.rate_limit ?? top.rate_limit;
          if (!limit || limit === 'off') return undefined;
          return {
            provides: limit,
            browsersOnly: true,
            onRequest: (next) => (submission) => {
              const { client, services, formId } = submission;
              if (!('address' in client)) {
                logUnknown(client, submission);
                submission.trace?.note(
                  `not counted, because the client is unknown: ${unknownClientWords(client)}`,
                );
                return next(submission);
              }
              const network = clientNetwork(client.address);
              rates ??= createRates(services.now);
              const taken = rates.take(`${formId}\0${network}`, limit);
              if ('waitMs' in taken) return tooOften(limit, taken.waitMs, network, submission);
              submission.trace?.note('within the rate limit');
              return chain(next(submission), (outcome) => {
                // A submission that made the relay call another service counts, whatever its outcome.
                if (!isFinal(outcome) && !submission.isCountedAlways) taken.undo();
                return outcome;
              });
            },
          };
        },
      }),
    ],
    messages: {
      en: {
        rate_limited:
          'This form was sent several times from your network just now. You can send it again in {wait}.',
        rate_limited_page:
          'This form was sent several times from your network just now. Your entries are not lost: please go back, and send the form again in {wait}.',
      },
    },
  };
};

/** Reports which proxies are trusted to name the client. */
function proxiesFound({ config, services, settings }: CheckContext): readonly Finding[] {
  const { trustedProxies, proxyHeader, publicUrl } = settings;
  const name = 'TRUSTED_PROXIES';
  const [first] = [...(config?.forms.values() ?? [])].filter(({ provided }) => provided.get('rate_limit'));
  if (!first) return [];
  if (trustedProxies?.length === 0) return [ok(name, 'none; the connecting address is the client')];
  if (trustedProxies) {
    const listed = trustedProxies.map(writeNetwork).join(', ');
    return [ok(name, `${listed}; these proxies report the client in ${proxyHeader}`)];
  }
  // Another check reports a malformed value. The relay itself does not terminate TLS.
  if (services.env(name) || !publicUrl?.startsWith('https:')) return [];
  return [
    warning(
      name,
      `not set; PUBLIC_URL is https, so a proxy seems to be in front of the relay, and rate_limit of "${first.id}" counts nothing, or only the proxy`,
      'Set it to the networks of your proxies, such as 127.0.0.1 or 10.0.0.0/8. On AWS Lambda, leave it unset: API Gateway reports the client.',
    ),
  ];
}

/** Warns that the sender of a submission is unknown, once per process and reason. */
function unknownClientLog(): (client: UnknownClient, submission: Submission) => void {
  const warned = new Set<UnknownClient['why']>();
  return (client, submission) => {
    if (warned.has(client.why)) return;
    warned.add(client.why);
    const reason = unknownClientWords(client);
    submission.log('warn', 'client_unknown', { reason });
  };
}

function unknownClientWords(client: UnknownClient): string {
  switch (client.why) {
    case 'no_peer':
      return "the runtime does not report the client's address";
    case 'proxy_unlisted':
      return `the connection comes from ${client.network}, which looks like a proxy; list it in TRUSTED_PROXIES, or write none if there is no proxy`;
    case 'proxy_silent':
      return 'a proxy in TRUSTED_PROXIES does not report the client in the header of PROXY_HEADER';
  }
}
