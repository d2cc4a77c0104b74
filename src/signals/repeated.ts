import { createTexts } from '../memory/texts.ts';
import { clientNetwork, readAddress } from '../networks.ts';
import { type Look, signal } from './signal.ts';
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
    (seen, { memory }): Look => {
      const { formId, fields, address, receivedAt } = seen;
      const client = address === undefined ? undefined : readAddress(address);
      // What the owner wrote into the field, most leave there.
      const given = fields.flatMap(({ value = [] }) => value);
      const noted = memory.late('repeated', createTexts).note({
        at: receivedAt,
        form: formId,
        client: client ? clientNetwork(client) : '',
        text: freeTexts(seen).join('\n'),
        given: given.join('\n'),
      });
      if (!noted) return undefined;
      const { similar, undo } = noted;
      if (similar === 0) return { undo };
      const others = similar === 1 ? 'another' : `${similar} others`;
      return { strength: Math.min(1, (similar + 1) / 4), why: `much like ${others} within the hour`, undo };
    },
});
