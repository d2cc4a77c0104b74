import type { CountPlace } from '../../base/counts.ts';
import { linkUseName } from '../../base/doubt.ts';
import { late, lateFunction } from '../../base/late.ts';
import type { Form } from '../../form.ts';
import { feature } from '../feature.ts';
import type { Places } from '../places/claims.ts';
import { type AskedOfPlaces, countedAt, countingStages, places } from '../places/places.ts';
import { linkParts } from './links.ts';

const shownUsed = lateFunction(late(async () => (await import('./shown_used.ts')).shownUsed));

/** What a form with links counts, if anything can be counted. */
export interface SingleUse {
  readonly counted: Places | undefined;
}

interface Asked extends Pick<AskedOfPlaces, 'top'> {
  readonly form: {
    readonly links?: 'optional' | 'required' | undefined;
    readonly double_opt_in?: unknown;
  };
}

/** Links that work once are counted where places are (docs/links.md). */
export const singleUse = feature({
  name: 'single_use',
  isForBrowsers: true,
  settings: ({ form: { links, double_opt_in: optIn }, top }: Asked): SingleUse | undefined => {
    if (links === undefined) return undefined;
    const where = countedAt(top);
    const counted = where && {
      ...{ total: undefined, options: new Map(), hasWaitingList: false, once: undefined },
      ...{ isSecret: false, where, isRemembered: optIn !== undefined },
    };
    return { counted };
  },
  ownNames: [linkUseName],
  reserves: ({ form }) => (form.links === undefined ? [] : [{ name: linkUseName, check: 'link' }]),
  stages: ({ counted }, features) => ({
    check: (passage) => linkParts.loaded.claimUse(passage, counted !== undefined),
    // Places count the link with what else they count.
    ...(counted && !features.has('places') && countingStages(counted)),
  }),
  answers: ({ counted }, features) => ({
    shows:
      counted &&
      ((form, at) => {
        if (!at.link?.sealed) return undefined;
        const isRequired = features.get('links') === 'required';
        return shownUsed({ where: counted.where, isRequired }, form, at);
      }),
  }),
});

/** Where a form counts its places or its links; `undefined`: it counts nothing. */
export const countedFor = (form: Form): CountPlace | undefined =>
  places.of(form)?.where ?? singleUse.of(form)?.counted?.where;
