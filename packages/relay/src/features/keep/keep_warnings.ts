import { isQueue, type Keep } from '../../base/kept.ts';
import type { Form } from '../../form.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { storedFor } from '../keys/keys.ts';
import { keep } from './keep.ts';

/** Findings about a `keep` that loads, and probably isn't meant that way, or has a price. */
export function keepWarnings(store: Keep | undefined, forms: readonly Form[]): readonly Finding[] {
  const keeping = forms.filter(keep.of);
  const isCountedIn = forms.some((form) => storedFor(form)?.name === store?.in.name);
  return [
    ...(store ? storeWarnings(store, keeping, isCountedIn) : []),
    ...forms
      .filter((form) => form.keptMessage !== undefined && !keep.of(form))
      .map(({ id }) => finding('kept_message_unused', ['forms', id, 'kept_message'])),
  ].map((one) => ({ ...one, severity: 'warning' }));
}

function storeWarnings(
  { in: place, filesIn }: Keep,
  keeping: readonly Form[],
  isCountedIn: boolean,
): readonly Finding[] {
  const withFiles = keeping.filter(({ fields }) => fields.some(({ takeFiles }) => takeFiles));
  return [
    ...(keeping.length === 0 && !isCountedIn ? [finding('keep_unused', ['keep'])] : []),
    ...(filesIn && !isQueue(place) ? [finding('files_in_unused', ['keep', 'files_in'])] : []),
    ...(isQueue(place) && !filesIn
      ? withFiles.map(({ id }) => finding('keep_files_nowhere', ['forms', id, 'keep']))
      : []),
  ];
}
