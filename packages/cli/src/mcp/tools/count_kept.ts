import { factsOf } from '@form-relay/stored/kept/list';
import * as z from 'zod/v4';
import { Counter, dayOf, kindOf, timeKeys } from '../counter.ts';
import { formName, formOf } from '../shared.ts';
import { withOwnStore } from '../stores.ts';
import { asksServers, tool } from '../tool.ts';

/** Beyond, the owner has other worries than an exact count. */
const mostRead = 100_000;

export const countKept = tool({
  name: 'count_kept',
  title: 'Count kept deliveries',
  description:
    'Counts the deliveries that outputs still owe, from the store that keep in the config names: by form, output, state, reason and day. due: the relay tries it again by itself; all else waits for the owner. Shows ids and times, and nothing that a visitor wrote.',
  annotations: asksServers,
  input: z.strictObject({ form: formName.optional() }),
  output: z.object({
    place: z.string(),
    total: z.number(),
    is_complete: z.boolean().describe('Whether all were read.'),
    notes: z.array(z.string()).describe('Limits of this store.'),
    counts: z.array(
      z.object({
        form: z.string(),
        output: z.string().describe('Its type and its index in outputs, such as webhook[1].'),
        state: z.string(),
        reason: z
          .string()
          .describe('The code of the last failure; docs/problems.md and keep.md explain them.'),
        ...timeKeys,
      }),
    ),
  }),
  run: async ({ form: wanted }, session, signal) =>
    withOwnStore(session, async ({ name, store, config }) => {
      const counter = new Counter<{ form: string; output: string; state: string; reason: string }>();
      if (wanted !== undefined) formOf(config, wanted);
      let read = 0;
      for await (const one of store.list()) {
        signal.throwIfAborted();
        read += 1;
        if (read > mostRead) break;
        const { form, output, state, reason, received_at, submission } = factsOf(one, config);
        if (wanted !== undefined && form !== wanted) continue;
        const key = {
          form: config.forms.has(form) ? form : '(a form of another config)',
          output: `${kindOf(output.type)}[${output.index}]`,
          state: kindOf(state),
          reason: reason ? kindOf(reason.code) : 'not_tried',
        };
        counter.add(key, dayOf(received_at), submission);
      }
      const { total, counts } = counter;
      return { place: name, total, is_complete: read <= mostRead, notes: [...(store.notes ?? [])], counts };
    }),
});
