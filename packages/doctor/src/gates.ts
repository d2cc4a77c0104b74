import { writeNetwork } from '@form-relay/base/networks';
import { type Diagnosis, ok, warning } from '@form-relay/mail-dns';
import { isMap } from '@form-relay/schema/kinds';
import { formsOf } from './outputs.ts';
import type { Setup } from './setup.ts';

/** Which proxies are believed on who sends forms. The log says which origins cannot read answers. */
export function gateSettings(setup: Setup): readonly Diagnosis[] {
  const isSound = !setup.settingProblems.some(({ name }) => name === 'TRUSTED_PROXIES');
  return isSound ? [...proxies(setup), ...inboxProxies(setup)] : [];
}

function proxies(setup: Setup): readonly Diagnosis[] {
  const { trustedProxies, proxyHeader, publicUrl } = setup.settings;
  const name = 'TRUSTED_PROXIES';
  const [first] = formsOf(setup).filter(({ provided }) => provided.get('rate_limit'));
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
const inboxProxies = ({ loaded, settings }: Setup): readonly Diagnosis[] =>
  isOnHttps(loaded?.shared) && !settings.trustedProxies
    ? [
        warning(
          'TRUSTED_PROXIES',
          'not set; inbox.url is https, so something stands in front of the inbox, and all who sign in share one limit',
          'Set it where the relay runs, to the networks of your proxies, such as 127.0.0.1 or 10.0.0.0/8.',
        ),
      ]
    : [];

/** The inbox tells of itself where its program is part of this installation. */
function isOnHttps(shared: { get(name: string): unknown } | undefined): boolean {
  const inbox = shared?.get('inbox');
  return isMap(inbox) && inbox.url instanceof URL && inbox.url.protocol === 'https:';
}
