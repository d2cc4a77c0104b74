import * as z from 'zod/v4';
import { CommandFailed } from '../../command_failed.ts';
import { Counter, dayOf, kindOf, timeKeys } from '../counter.ts';
import { journalLines } from '../journal.ts';
import { formName, formOf } from '../shared.ts';
import { archivesOf, entriesOf } from '../stores.ts';
import { asksServers, tool } from '../tool.ts';
import { readDropped } from '../untrusted.ts';

const dayMs = 86_400_000;

/** Submissions that were delivered, or wait for their visitor. */
const isTaken = (result: string) => ['delivered', 'held'].includes(result);

export const countDropped = tool({
  name: 'count_dropped',
  title: 'Count what was dropped',
  description:
    'Counts what became of submissions in the last days, and why some did not arrive: dropped and refused ones by the check that ended them and by doubt signals, with days and a few ids. Reads the journal of the config; without one, the archives of dropped submissions (keep_dropped). Shows nothing that a visitor wrote.',
  annotations: asksServers,
  input: z.strictObject({ form: formName.optional(), days: z.int().min(1).max(400).default(30) }),
  output: z.object({
    source: z.enum(['journal', 'archive']),
    since: z.string(),
    results: z
      .record(z.string(), z.number())
      .describe('How many ended how; an archive has only dropped ones.'),
    counts: z.array(
      z.object({
        form: z.string(),
        result: z.string(),
        by: z.string().describe('The check, such as honeypot, or what doubt did; empty: none.'),
        signals: z.array(z.string()).describe('Signals of doubt that spoke against it.'),
        ...timeKeys,
      }),
    ),
  }),
  async run({ form: wanted, days }, session, signal) {
    const config = await session.ownConfig();
    if (wanted !== undefined) formOf(config, wanted);
    const since = Math.floor(Date.now() / dayMs + 1 - days) * dayMs;
    const counter = new Counter<{ form: string; result: string; by: string; signals: string[] }>();
    const results: Record<string, number> = {};
    const nameOf = (form: string) => (config.forms.has(form) ? form : '(a form of another config)');
    const add = (
      result: string,
      form: string,
      at: string,
      id: string,
      by: string,
      signals: Readonly<Record<string, number>> = {},
    ) => {
      if (wanted !== undefined && form !== wanted) return;
      results[result] = (results[result] ?? 0) + 1;
      if (isTaken(result)) return;
      const against = Object.entries(signals).filter(([, points]) => points > 0);
      const names = against.map(([name]) => kindOf(name)).sort();
      counter.add({ form: nameOf(form), result, by, signals: names }, dayOf(at), id);
    };
    if (config.journal) {
      for await (const line of journalLines(config.journal.in, since)) {
        signal.throwIfAborted();
        if (line.kind !== 'submission' || line.restored || Date.parse(line.at) < since) continue;
        const { result, form, at, id, by, doubt } = line;
        const why = by ?? (doubt?.action === undefined ? '' : `doubt_${doubt.action}`);
        add(kindOf(result), form, at, id, why && kindOf(why), doubt?.signals);
      }
    } else {
      const archives = archivesOf(config, 'dropped');
      if (archives.length === 0)
        throw new CommandFailed(
          'the config has no journal and no archive, so nothing tells what was dropped: read_manual journal.md shows how to add one',
        );
      for (const found of await entriesOf(archives, { form: wanted, since }, signal)) {
        signal.throwIfAborted();
        const dropped = await readDropped(found);
        const { form, receivedAt, id } = found.entry;
        add('dropped', form, new Date(receivedAt).toISOString(), id, dropped.by, dropped.signals);
      }
    }
    return {
      source: config.journal ? ('journal' as const) : ('archive' as const),
      since: new Date(since).toISOString(),
      results,
      counts: counter.counts,
    };
  },
});
