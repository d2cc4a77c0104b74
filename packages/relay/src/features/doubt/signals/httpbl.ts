import { isIPv4 } from 'node:net';
import { failed } from '../../../base/client_error.ts';
import { optional } from '../../../schema/keys.ts';
import { secretVariable } from '../../../schema/kinds.ts';
import { askService, keyFrom, publicAddress } from './service.ts';
import { type Found, type ServiceWorld, signal } from './signal.ts';

const zone = 'dnsbl.httpbl.org';
const defaultKey = 'HTTPBL_KEY';

/** For tests of a key: Project Honey Pot lists it as one that is suspicious, and it is nobody's. */
const testAddress = '127.1.1.1';

/** A hundred messages of spam (Project Honey Pot: threat scores are logarithmic). */
const wholeThreat = 25;

/** Since it was last seen there: addresses change hands. */
const freshDays = 30;
const staleDays = 90;

export const httpbl = signal({
  name: 'httpbl',
  summary:
    'Asks Project Honey Pot’s http:BL, through the DNS, whether the sender’s IPv4 address left spam or gathered mail addresses. Needs a key.',
  weight: 4,
  isDefault: false,
  keys: {
    key_env: optional(
      `The environment variable that holds the access key. Default: \`${defaultKey}\`.`,
      secretVariable(),
    ),
  },
  service: ({ key_env: name = defaultKey }) => ({
    host: zone,
    needs: [name],
    probe: async (world, timeoutMs) => {
      // Without an answer for it, the key counts for nothing, or this DNS does not ask further.
      if ((await ask(name, testAddress, world, timeoutMs)).length === 0) throw failed('service_key_refused');
    },
  }),
  look:
    ({ key_env: name = defaultKey }) =>
    (seen, world) => {
      const address = publicAddress(seen);
      if (address === undefined || !isIPv4(address)) return undefined;
      return askService({ signal: 'httpbl', host: zone, about: [address] }, seen, world, async (timeoutMs) =>
        verdictOf(await ask(name, address, world, timeoutMs)),
      );
    },
});

/** The list's answer; `undefined` for unknown addresses. Throws a `ClientError`. */
function ask(
  name: string,
  address: string,
  { effects }: Pick<ServiceWorld, 'effects'>,
  timeoutMs: number,
): Promise<readonly string[]> {
  const key = keyFrom(name, effects);
  if (!/^[a-z]{12}$/.test(key)) throw failed('service_key_malformed', { name });
  return effects.resolve4(`${key}.${address.split('.').toReversed().join('.')}.${zone}`, timeoutMs);
}

/** `127.days.threat.type`; in type, 1 is suspicious, 2 gathers addresses, 4 leaves spam, and 0 is a search engine. */
function verdictOf([answer]: readonly string[]): Found | undefined {
  if (answer === undefined) return undefined;
  const [network, days = 0, threat = 0, type = 0] = answer.split('.').map(Number);
  // A resolver that sends whom it does not know to a page of its own is no list; nor does 127.255.255.252 and above list
  // anybody: it refuses the question, by a custom of such lists.
  if (network !== 127 || type > 7) throw failed('service_without_verdict');
  if (type === 0 || days > staleDays) return undefined;
  const share = type >= 4 ? 1 : 0.5;
  const age = days > freshDays ? 0.5 : 1;
  const strength = share * age * Math.min(1, threat / wholeThreat);
  return strength > 0
    ? {
        strength,
        why: `${type >= 4 ? 'left spam' : type >= 2 ? 'gathered addresses' : 'suspicious'} ${days} days ago, threat ${threat}`,
      }
    : undefined;
}
