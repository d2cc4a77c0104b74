/** Changes that mend a problem: what it advises, where that leaves nothing to choose. */
import type { Problem } from '@form-relay/relay/config';
import type { Json, Path } from '../edit/action.ts';
import type { Fix } from './state.ts';

/** Keys to leave out where they stand. */
const idle = [
  ...['closed_text_unused', 'full_without_places', 'full_text_of_waiting', 'waiting_without_list'],
  ...['key_of_no_computed', 'key_of_no_file', 'key_of_no_signature'],
  ...['parts_without_value', 'remember_nothing', 'consent_given', 'key_of_free_tel', 'page_unread'],
  ...['stats_without_journal', 'archive_nowhere'],
  ...['once_by_conditional', 'opt_in_address_conditional', 'option_places_of_no_choice'],
];

/** Values by the problem's code, and where they go: into the form, into the map that has the problem, or to the top. */
const values: Readonly<Record<string, readonly [at: 'form' | 'here' | 'beside' | 'top', key: string, Json]>> =
  {
    counted_nowhere: ['top', 'counted_in', '/var/lib/form-relay'],
    keep_nowhere: ['top', 'keep', { in: '/var/lib/form-relay' }],
    output_sends_nothing: ['here', 'mapping', '*'],
    output_sends_files_alone: ['here', 'mapping', '*'],
    max_files_of_one: ['beside', 'multiple', true],
    once_by_optional: ['here', 'required', true],
    opt_in_address_optional: ['here', 'required', true],
    time_zone_unnamed: ['form', 'time_zone', Intl.DateTimeFormat().resolvedOptions().timeZone],
    moment_without_zone: ['form', 'time_zone', Intl.DateTimeFormat().resolvedOptions().timeZone],
  };

/** @param hasDoubt The form weighs doubt in a way of its own. */
export function fixOf({ code, path: written, meant }: Problem, hasDoubt = false): Fix | undefined {
  if (meant) return { name: `Change to ${meant.text}`, text: meant.text };
  const path = pathIn(written);
  if (code === 'output_address_reserved') return { name: 'Choose where it goes', outputsOf: String(path[1]) };
  const isOfPlaces = path[2] === 'option_places' && ['value_no_option', 'field_undeclared'].includes(code);
  if (code === 'visitor_mail_unguarded') {
    const guard = { min_fill_seconds: 3, ...(!hasDoubt && { too_fast: 'doubt', doubt: 'tag' }) };
    return {
      name: 'Set min_fill_seconds to 3',
      actions: Object.entries(guard).map(([key, value]) => ({
        do: 'set',
        path: [...path.slice(0, 2), 'spam', key],
        value,
      })),
    };
  }
  if (idle.includes(code) || isOfPlaces)
    return { name: `Remove ${path.at(-1)}`, actions: [{ do: 'remove', path }] };
  const [at, key, value] = (Object.hasOwn(values, code) && values[code]) || [];
  if (at === undefined || key === undefined || value === undefined) return undefined;
  const around = { form: path.slice(0, 2), here: path, beside: path.slice(0, -1), top: [] }[at];
  const shown = typeof value === 'object' ? Object.values(value ?? {})[0] : value;
  return {
    name: `Set ${key} to ${shown}`,
    actions: [{ do: 'set', path: [...around, key], value }],
  };
}

/** As `formatPath` of packages/relay/src/config/problem.ts writes it. */
const pathIn = (text: string): Path =>
  [...text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = '']) =>
    index !== undefined ? Number(index) : quoted !== undefined ? JSON.parse(quoted) : name,
  );
