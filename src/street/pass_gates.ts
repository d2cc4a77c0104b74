import type { Listener } from '../event.ts';
import type { Form, Gates } from '../form.ts';
import { gates as all } from '../gates/index.ts';
import type { Outcome } from '../outcome.ts';
import { clientOf } from './client.ts';
import type { Exchange } from './exchange.ts';

/** What came of the gates of a form. */
export interface GatesPassed {
  readonly ending?: Outcome;
  readonly mustProve: boolean;
  readonly undo: readonly (() => void)[];
}

/** Looks at a submission before anything that was typed is read. */
export function passGates(form: Form, gates: Gates, tell: Listener, exchange: Exchange): GatesPassed {
  const { request, settings, effects, memory } = exchange;
  const client = clientOf(request);
  const context = { request, formId: form.id, gates, settings, effects, memory, client };
  const undo: (() => void)[] = [];
  let mustProve = false;
  for (const gate of all) {
    if (!gate.isOn(gates)) continue;
    const passed = gate.examine(context);
    tell({ kind: 'checked', passed: passed.ending === undefined, evidence: passed.evidence });
    if (passed.undo) undo.push(passed.undo);
    mustProve ||= passed.mustProve === true;
    if (passed.ending) return { ending: passed.ending, mustProve, undo };
  }
  return { mustProve, undo };
}
