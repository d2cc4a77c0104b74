import type { Event } from 'js-yaml';
import type { Finding } from '../../base/config_finding.ts';
import type { Place } from '../../base/place.ts';

/** Why a text is no config, whatever its keys. */
export interface Misread {
  readonly finding: Finding;
  readonly place: Place;
}

/** A text that the parser refuses, until `explainComplaint` tells why. */
export interface Refused {
  readonly error: unknown;
  readonly text: string;
  readonly events: readonly Event[];
}

/** Without a place, it is about the whole text. */
export const misread = (finding: Finding, place: Place = { offset: 0, length: 0 }): Misread => ({
  finding,
  place,
});
