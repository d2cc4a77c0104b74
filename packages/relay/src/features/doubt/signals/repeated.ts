import { clientNetwork, readAddress } from '../../../base/networks.ts';
import { after } from '../../../base/soon.ts';
import { createTexts, type Noted, type Texts } from '../../../memory/texts.ts';
import { type Look, type Seen, signal } from './signal.ts';
import { freeTexts } from './typed.ts';

export const repeated = signal({
  name: 'repeated',
  summary:
    'A longer text much like one that somebody else sent through the same form within the hour: one such is half of it, three are all of it.',
  weight: 4,
  isDefault: true,
  keys: {},
  look:
    () =>
    (seen, { memory }) => {
      const { formId, fields, address, receivedAt } = seen;
      const noted = memory.late<Texts>('repeated', createTexts).note({
        at: receivedAt,
        form: formId,
        client: clientOf(address),
        text: freeTexts(seen).join('\n'),
        given: givenIn(fields),
      });
      return after(noted, lookOf);
    },
});

function lookOf(noted: Noted | undefined): Look {
  if (!noted) return undefined;
  const { similar, undo } = noted;
  if (similar === 0) return { undo };
  const others = similar === 1 ? 'another' : `${similar} others`;
  return { strength: Math.min(1, (similar + 1) / 4), why: `much like ${others} within the hour`, undo };
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
