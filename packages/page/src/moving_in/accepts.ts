import { Diagnostics } from '@form-relay/core/schema/diagnostics';
import type { Schema } from '@form-relay/core/schema/schema';

/** Whether the config could have this value. */
export const accepts = (schema: Schema<unknown>, value: string): boolean =>
  schema(value, new Diagnostics()) !== undefined;
