import { partsInFormCode } from '../../../built/inline.ts';
import { hashSource } from '../../pages/page_view.ts';
import type { OwnAnswers } from '../feature.ts';

export const statsAnswers: OwnAnswers = {
  // Pages with `form.js` load `stats.js` beside it.
  add: (_, { medium }) => (medium === 'script' ? {} : { part: 'stats' }),
  policy: (_, { kind, hasScript }) =>
    kind === 'sent' || hasScript
      ? {}
      : { scripts: ["'self'", hashSource(partsInFormCode)], connections: ["'self'"] },
};
