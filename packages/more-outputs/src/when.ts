import type { Plugin } from '@form-relay/core/index';
import { checkDecider, condition, optionalBlock, outputExtension } from '@form-relay/core/kit';

/** A field that is not there is empty, whatever the reason, so `is_not` and `filled: false` hold: a lead must rather arrive. */
const nothing: readonly string[] = [''];

const when = outputExtension({
  name: 'when',
  keys: {
    when: optionalBlock(
      'Sends only the submissions in which a field holds some value: `{field: kind, is: business}`. Of others the output learns nothing. A field that was not shown counts as empty.',
      condition,
    ),
  },
  configure: ({ output: { when }, fields }, at) => {
    if (!when) return undefined;
    const { field } = when;
    checkDecider(when, fields, at.in('when'));
    return {
      condition: when,
      accepts: ({ values }) => {
        const filled = (values.get(field) ?? nothing).filter((value) => value !== '');
        return when.holds(filled.length > 0 ? filled : nothing);
      },
    };
  },
});

export const plugin: Plugin = { name: 'when', outputExtensions: [when] };
