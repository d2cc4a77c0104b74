import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import { freeTexts } from '@form-relay/spam/signals/typed';

/** A message that its owner marked. */
export interface Marked {
  /** Names it to its owner. */
  readonly id: string;
  /** The texts typed into its fields. */
  readonly texts: readonly string[];
  readonly isSpam: boolean;
  /** When it came, in milliseconds since the epoch; 0 if nobody knows. */
  readonly at: number;
  /** When it was marked. Default: when it came. */
  readonly markedAt?: number;
}

/**
 * The texts of a stored submission that a model learns from. @param fields The fields of its form; `undefined` if the
 * form is gone.
 */
export function textsToLearn(
  document: Pick<ArchiveDocument, 'fields'>,
  fields: Parameters<typeof freeTexts>[0]['fields'] | undefined,
): readonly string[] {
  const values = new Map(document.fields.map(({ name, values }) => [name, values]));
  return fields ? freeTexts({ fields, values }) : [...values.values()].flat();
}
