import * as v from 'valibot';
import type { Schema } from './any_schema.ts';
import { name } from './kinds.ts';
import type { ListFile, ListKind } from './lists/list.ts';

/** The path of a list file, which is read once the config is fine (config/lists.ts). */
export const listFile = <K extends ListKind>(kind: K): Schema<ListFile<K>> =>
  v.pipe(
    name(),
    v.transform((path): ListFile<K> => ({ kind, path })),
  );
