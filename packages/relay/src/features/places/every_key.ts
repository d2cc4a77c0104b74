import type { Form } from '../../form.ts';
import { singleUse } from '../links/single_use.ts';
import { linkKeys, onceKeys, placesKey } from './claims.ts';
import { places } from './places.ts';

/** The keys of all that a form counts. */
export function everyKey(form: Form): readonly string[] {
  const asked = places.of(form);
  return [
    ...(asked ? [placesKey(form.id), ...(asked.once ? onceKeys(form.id) : [])] : []),
    ...(singleUse.of(form)?.counted ? linkKeys(form.id) : []),
  ];
}
