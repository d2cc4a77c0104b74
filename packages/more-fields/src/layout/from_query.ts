/** `from_query: false`: a field that links cannot fill in. */

import { fieldExtension } from '@form-relay/core/extensions';
import type { Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { boolean } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';

const fromQuery = fieldExtension({
  name: 'from_query',
  keys: {
    from_query: withDefault(
      'true',
      'Whether a link may fill the field: `/api/v1/form/contact?email=…`. Set `false` for a `hidden` field that decides ' +
        'where a submission goes.',
      boolean(),
    ),
  },
  configure: ({ from_query }) => (from_query === false ? { members: { isClosedToLinks: true } } : undefined),
});

const closedToLinks = feature({
  name: 'from_query',
  // The owner's own links may fill in the field.
  before: ['links'],
  configure: ({ fields }) => {
    const closed = fields
      .filter(({ isClosedToLinks }) => isClosedToLinks)
      .flatMap((field) => field.inputs?.all ?? field);
    if (closed.length === 0) return undefined;
    const names = new Set(closed.map(({ name }) => name));
    return {
      // A query from inside the form contains what the visitor has entered. Any other query may come from a stranger's link.
      view: (view) =>
        view.sent || view.isLoaded
          ? view
          : { ...view, values: new Map([...view.values].filter(([name]) => !names.has(name))) },
    };
  },
});

/** Types that also load this plug-in. */
export const uses = ['fieldType consent'];

export const plugin: Plugin = {
  name: 'from_query',
  fieldExtensions: [fromQuery],
  features: [closedToLinks],
};
