import type { Erased, Found } from '../api.ts';
import type { Forms } from '../entry_index.ts';

/** All that is stored of one person, in the forms for which somebody asks. */
export interface People {
  find(email: string, forms: Forms): Promise<Found>;
  /** JSON Lines. */
  export(email: string, forms: Forms): AsyncIterable<string>;
  /** @param ids As `find` listed them: nothing else is removed. */
  erase(email: string, ids: readonly string[], forms: Forms): Promise<Erased>;
}
