/** What `keep` may hold, and what is said of it, is read when a config names it. */
import * as v from 'valibot';
import type { Finding } from '../base/config_finding.ts';
import type { Keep } from '../base/kept.ts';
import type { Form } from '../form.ts';
import type { AnySchema, Schema } from '../schema/any_schema.ts';

type Late = typeof import('./keep_keys.ts');
let late: Late | undefined;

/** `mayName`: whether the config's text may have this in it. */
export async function loadKeep(mayName: (name: string) => boolean): Promise<void> {
  if (mayName('keep') || mayName('kept_message')) late = await import('./keep_keys.ts');
}

const unread = v.never() as AnySchema as Schema<never>;

export const keep: Schema<Keep> = v.lazy(() => late?.keepSchema ?? unread);

export const keepWarnings = (keep: Keep | undefined, forms: readonly Form[]): readonly Finding[] =>
  late?.keepWarnings(keep, forms) ?? [];
