import { type Finding, finding } from '../schema/finding.ts';
import { optional, required, section } from '../schema/keys.ts';
import { duration } from '../schema/kinds.ts';
import { feature, mapOrNothing, type RawMap } from './feature.ts';

export const archiveKeys = {
  for: required(
    'Older submissions go, with their files, day by day (UTC).',
    duration({ leastMs: 24 * 3_600_000, hasDays: true }),
  ),
};

export interface Keys {
  readonly archive?: { readonly for: number } | undefined;
}

/** Submissions leave the archive after a time. The setting is for how long they stay, in milliseconds. */
export const archive = feature({
  name: 'archive',
  keys: {
    formAndTop: {
      archive: optional(
        'How long the `folder` and `s3` outputs’ archives keep submissions; at the top of the file also those of forms that are gone (docs/archive.md#pruning).',
        section(archiveKeys, '{for: 180d}'),
      ),
    },
  },
  settings: ({ form, top }: { readonly form: Keys; readonly top: Keys }): number | undefined =>
    (form.archive ?? top.archive)?.for,
  problemsAtTop: (config) => withoutArchive(config),
});

/** The key where nothing is archived. @param config As written. */
function withoutArchive(config: RawMap): readonly Finding[] {
  const forms = Object.entries(mapOrNothing(config.forms)).map(
    ([id, form]) => [id, mapOrNothing(form)] as const,
  );
  const without = forms.filter(([, { outputs }]) => Array.isArray(outputs) && !outputs.some(isArchive));
  const ofForms = without
    .filter(([, form]) => form.archive !== undefined)
    .map(([id]) => finding('archive_nowhere', ['forms', id, 'archive']));
  const isNowhere = config.archive !== undefined && forms.length > 0 && without.length === forms.length;
  return isNowhere ? [finding('archive_nowhere', ['archive']), ...ofForms] : ofForms;
}

/** @param output As written. */
export const isArchive = (output: unknown): boolean => {
  const { type } = mapOrNothing(output);
  return type === 'folder' || type === 's3';
};
