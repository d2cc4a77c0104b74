import { type Form, writeNetwork } from '@form-relay/relay/base';
import type { Config } from '@form-relay/relay/config';
import { type Diagnosis, ok, warning } from '@form-relay/relay/diagnosis';
import { rateLimit } from '@form-relay/relay/features';
import type { SettingProblem, Settings } from '@form-relay/relay/schema';

/** Which proxies are believed on who sends forms. The log says which origins cannot read answers. */
export function gateSettings(
  forms: readonly Form[],
  settings: Settings,
  problems: readonly SettingProblem[],
  inbox: Config['inbox'],
): readonly Diagnosis[] {
  const isSound = !problems.some(({ name }) => name === 'TRUSTED_PROXIES');
  return isSound ? [...proxies(forms, settings), ...inboxProxies(inbox, settings)] : [];
}

function proxies(
  forms: readonly Form[],
  { trustedProxies, proxyHeader, publicUrl }: Settings,
): readonly Diagnosis[] {
  const name = 'TRUSTED_PROXIES';
  const [first] = forms.filter(rateLimit.of);
  if (!first) return [];
  if (trustedProxies?.length === 0) return [ok(name, 'none; whoever connects is the client')];
  if (trustedProxies) {
    return [
      ok(name, `${trustedProxies.map(writeNetwork).join(', ')}; they name the client in ${proxyHeader}`),
    ];
  }
  // The relay itself speaks no TLS.
  if (!publicUrl?.startsWith('https:')) return [];
  return [
    warning(
      name,
      `not set; PUBLIC_URL is https, so something stands in front of the relay, and rate_limit of "${first.id}" counts nobody, or it alone`,
      'Set it to the networks of your proxies, such as 127.0.0.1 or 10.0.0.0/8. On AWS Lambda leave it: API Gateway says who sends.',
    ),
  ];
}

/** The inbox speaks no TLS either. */
export const inboxProxies = (
  inbox: Config['inbox'],
  { trustedProxies }: Pick<Settings, 'trustedProxies'>,
): readonly Diagnosis[] =>
  inbox?.url.protocol === 'https:' && !trustedProxies
    ? [
        warning(
          'TRUSTED_PROXIES',
          'not set; inbox.url is https, so something stands in front of the inbox, and all who sign in share one limit',
          'Set it where the relay runs, to the networks of your proxies, such as 127.0.0.1 or 10.0.0.0/8.',
        ),
      ]
    : [];
