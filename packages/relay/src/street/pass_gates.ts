import type { Listener } from '../base/event.ts';
import type { Outcome } from '../base/outcome.ts';
import type { GateContext } from '../features/gate.ts';
import { gates as all } from '../features/gates.ts';
import { origin } from '../features/origins.ts';
import type { Form, Gates } from '../form.ts';
import { type Asked, noteAsking } from './asked.ts';
import { readClient } from './client.ts';
import type { Exchange } from './exchange.ts';

/** What came of the gates of a form, with the outside world for the checks that follow. */
export interface GatesPassed extends Asked {
  readonly ending?: Outcome;
  readonly mustProve: boolean;
  readonly undo: readonly (() => void)[];
}

/** Looks at a submission before anything that was typed is read. */
export async function passGates(
  form: Form,
  gates: Gates,
  tell: Listener,
  exchange: Exchange,
): Promise<GatesPassed> {
  const context = contextOf(form, gates, exchange);
  const asked = noteAsking(exchange.effects);
  const undo: (() => void)[] = [];
  let mustProve = false;
  for (const gate of all) {
    if (!gate.isOn(gates)) continue;
    const passed = await gate.examine(context);
    tell({ kind: 'checked', passed: passed.ending === undefined, evidence: passed.evidence });
    if (passed.undo) undo.push(passed.undo);
    mustProve ||= passed.mustProve === true;
    if (passed.ending) return { ...asked, ending: passed.ending, mustProve, undo };
  }
  return { ...asked, mustProve, undo };
}

/** Whether a step of the form may be checked from this page: nothing is sent yet, so nothing is counted. */
export const originEnding = (form: Form, gates: Gates, exchange: Exchange): Outcome | undefined =>
  origin.isOn(gates) ? origin.examine(contextOf(form, gates, exchange)).ending : undefined;

function contextOf({ id: formId }: Form, gates: Gates, exchange: Exchange): GateContext {
  const { request, settings, effects, memory } = exchange;
  return { request, formId, gates, settings, effects, memory, client: readClient(request, settings) };
}
