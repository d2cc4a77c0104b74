/** `alerts` at the top of a config. What it makes of them is read when a config names it. */
import type { Finding } from '../base/config_finding.ts';
import type { Form } from '../form.ts';
import type { Alerts } from './alerts_form.ts';
import type { ParsedTop } from './schema.ts';

export type { Alerts } from './alerts_form.ts';

type Late = typeof import('./alerts_form.ts');
let late: Late | undefined;

/** `mayName`: whether the config's text may have this in it. */
export async function loadAlerts(mayName: (name: string) => boolean): Promise<void> {
  if (mayName('alerts')) late = await import('./alerts_form.ts');
}

export const alertsOf = (parsed: ParsedTop['alerts']): Alerts | undefined => parsed && late?.alertsOf(parsed);

/** What must hold between the keys of its outputs. It reads the config as written. */
export const alertProblems = (config: unknown): readonly Finding[] => late?.alertProblems(config) ?? [];

export const alertWarnings = (alerts: Alerts | undefined, forms: Iterable<Form>): readonly Finding[] =>
  (alerts && late?.alertWarnings(alerts, forms)) ?? [];
