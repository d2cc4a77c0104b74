/** `from_query: false`: a field that no link fills in. */

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
  // The owner chose what they fill in.
  before: ['links'],
  configure: ({ fields }) => {
    const closed = fields
      .filter(({ isClosedToLinks }) => isClosedToLinks)
      .flatMap((field) => field.inputs?.all ?? field);
    if (closed.length === 0) return undefined;
    const names = new Set(closed.map(({ name }) => name));
    return {
      // A field inside the form sends what the visitor has entered. Any other query may be a stranger's link.
      view: (view) =>
        view.sent || view.isLoaded
          ? view
          : { ...view, values: new Map([...view.values].filter(([name]) => !names.has(name))) },
    };
  },
});

/** Keys and types of others for which the relay loads this plug-in as well. */
export const uses = ['fieldType consent'];

export const plugin: Plugin = {
  name: 'from_query',
  fieldExtensions: [fromQuery],
  features: [closedToLinks],
};
