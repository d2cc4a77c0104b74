/** What `keep` at the top of a config may hold is read when a config names it. */
import * as v from 'valibot';
import type { Keep } from '../kept.ts';
import type { AnySchema, Schema } from '../schema/any_schema.ts';

type Late = typeof import('./keep_keys.ts');
let late: Late | undefined;

/** `mayName`: whether the config's text may have this in it. */
export async function loadKeep(mayName: (name: string) => boolean): Promise<void> {
  if (mayName('keep')) late = await import('./keep_keys.ts');
}

const unread = v.never() as AnySchema as Schema<never>;

export const keep: Schema<Keep> = v.lazy(() => late?.keepSchema ?? unread);
