import type { Result } from '@form-relay/core/base/result';
import { documentPath } from '../archive/archive.ts';
import { writeDocument } from '../archive/document.ts';
import type { FoundContent } from './find.ts';

/** All that is stored of one submission as JSON in a line, and where it stands; or in words why there is none. */
export const personLine = ({ one, document }: FoundContent): Result<string, string> =>
  writeDocument({
    id: one.id,
    form: one.form,
    received_at: new Date(one.receivedAt).toISOString(),
    ...document,
    stored_in: one.place,
    ...(one.kind === 'archived' ? { archive_path: documentPath(one.entry) } : { delivery: one.delivery }),
  });
