import type { DoubtAction } from '../base/doubt.ts';
import { isMap } from '../schema/kinds.ts';

interface Guards {
  readonly signals?: ReadonlyMap<string, unknown> | undefined;
}

/** A form's `spam` over that at the top of the file, with their signals merged by name. */
export function guardsOf<G extends Guards>(own: G | undefined, shared: G | undefined): Partial<G> {
  const guards = { ...shared, ...own } as Partial<G>;
  const isBoth = own?.signals && shared?.signals;
  return isBoth ? { ...guards, signals: new Map([...shared.signals, ...own.signals]) } : guards;
}

/** Whether `doubt`, as it is written, names an action. */
export const doubtDoes = (doubt: unknown, action: DoubtAction): boolean =>
  isMap(doubt) ? action in doubt : doubt === action;
