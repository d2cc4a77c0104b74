import { clientNetwork, readAddress } from '../../../base/networks.ts';
import { after } from '../../../base/soon.ts';
import { createTexts, type Noted, type Texts } from '../../../memory/texts.ts';
import { hostsOf } from './hosts.ts';
import { wordsOf } from './own_words.ts';
import { type Look, type Seen, signal } from './signal.ts';
import { freeTexts } from './typed.ts';
import { bareSite, mayNameSite } from './words.ts';

export const repeated = signal({
  name: 'repeated',
  summary:
    'A text of six words or more much like one that somebody else sent through the same form within three days, whatever its numbers and links: one such is half of it, three are all of it. Without a link or an address in it, it is three quarters at most; half, if it is short.',
  weight: 4,
  isDefault: true,
  keys: {},
  look:
    () =>
    (seen, { memory }) => {
      const { formId, fields, address, receivedAt } = seen;
      const text = freeTexts(seen).join('\n');
      const noted = memory.late<Texts>('repeated', createTexts).note({
        at: receivedAt,
        form: formId,
        client: clientOf(address),
        text: withoutTargets(text),
        given: withoutTargets(givenIn(fields)),
      });
      return after(noted, (one) => lookOf(one, mostOf(text, seen)));
    },
});

/** What a campaign changes in each copy: links, sites and mail addresses. */
const target = /\b(?:https?:\/\/|www\.)[^\s<>"'[\]]+|[^\s@<>]{1,64}@[^\s@<>]{1,255}/gi;
const hasTarget = /:\/\/|www\.|@/i;

const withoutTargets = (text: string): string =>
  hasTarget.test(text) || mayNameSite(text)
    ? text.replaceAll(target, ' link ').replaceAll(bareSite, ' link ')
    : text;

const shortWords = 16;

/** People send the same request as others, and none of them wants to be found elsewhere. */
const mostOf = (text: string, seen: Seen): number =>
  hasTarget.test(text) || hostsOf(seen).all.size > 0 ? 1 : wordsOf(seen).length < shortWords ? 0.5 : 0.75;

function lookOf(noted: Noted | undefined, most: number): Look {
  if (!noted) return undefined;
  const { similar, undo } = noted;
  if (similar === 0) return { undo };
  const others = similar === 1 ? 'another' : `${similar} others`;
  return { strength: Math.min(most, (similar + 1) / 4), why: `much like ${others} within three days`, undo };
}

/** An IPv4 address is one client, however it is written here: in the one way in which the relay writes it. */
function clientOf(address = ''): string {
  const parsed = address.includes(':') ? readAddress(address) : undefined;
  return parsed ? clientNetwork(parsed) : address;
}

const given = new WeakMap<Seen['fields'], string>();

/** Initial values from the owner, which most visitors leave unchanged. */
function givenIn(fields: Seen['fields']): string {
  const before = given.get(fields);
  if (before !== undefined) return before;
  const now = fields.flatMap(({ value = [] }) => value).join('\n');
  given.set(fields, now);
  return now;
}
