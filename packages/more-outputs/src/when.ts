import type { Plugin } from '@form-relay/core/index';
import { checkCondition, condition, holds, optionalBlock, outputExtension } from '@form-relay/core/kit';

/** A field that is not there is empty, whatever the reason, so `is_not` and `filled: false` hold: a lead must rather arrive. */
const nothing: readonly string[] = [''];

const when = outputExtension({
  name: 'when',
  keys: {
    when: optionalBlock(
      'Sends only the submissions in which fields hold some values: `{field: kind, is: business}`. Of others the output learns nothing. A field that was not shown counts as empty.',
      condition,
    ),
  },
  configure: ({ output: { when }, fields }, at) => {
    if (!when) return undefined;
    checkCondition(when, fields, at.in('when'));
    return {
      condition: when,
      accepts: ({ values }) =>
        holds(when, (field) => {
          const filled = (values.get(field) ?? nothing).filter((value) => value !== '');
          return filled.length > 0 ? filled : nothing;
        }),
    };
  },
});

export const plugin: Plugin = { name: 'when', outputExtensions: [when] };
