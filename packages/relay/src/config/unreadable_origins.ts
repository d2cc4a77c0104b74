import { parseUrl } from '../base/url.ts';
import { origins } from '../features/origins.ts';
import { type Form, pathOf } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { formatPath } from './problem.ts';

/** Pages that may send a form (`origins`), whose scripts may not read what came of it (ALLOWED_ORIGINS). */
export function unreadableOrigins(
  forms: Iterable<Form>,
  allowed: Settings['allowedOrigins'],
): readonly { readonly origin: string; readonly place: string }[] {
  if (allowed === '*') return [];
  const readers = [...allowed].flatMap((origin) => parseUrl(origin) ?? []);
  return [...forms].flatMap((form) =>
    (origins.of(form)?.patterns ?? []).flatMap((pattern, index) =>
      readers.some((url) => pattern.matches(url))
        ? []
        : [{ origin: pattern.source, place: formatPath([...pathOf(form), 'origins', index]) }],
    ),
  );
}
