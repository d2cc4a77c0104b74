import { isMap } from '@form-relay/core/kit';
import { doubtActions, type Threshold } from './score/marks.ts';

const isThreshold = (value: unknown): value is Threshold =>
  isMap(value) && doubtActions.some((action) => action === value.action);

/** `doubt` of a `spam` block, as its schema read it. `undefined`: the block does not say. */
export const thresholdsIn = ({
  doubt,
}: Readonly<Record<string, unknown>>): readonly Threshold[] | undefined =>
  Array.isArray(doubt) ? doubt.filter(isThreshold) : undefined;
