/** `remember: false`: a field of which browsers keep nothing. The features that keep something read it. */
import type { Plugin } from '@form-relay/core/index';
import { boolean, fieldExtension, withDefault } from '@form-relay/core/kit';

const remember = fieldExtension({
  name: 'remember',
  keys: {
    remember: withDefault(
      'true',
      'Whether browsers may keep what was typed into the field: over a reload, if the form has `steps`, and for later, if ' +
        'it has `remember` or `resume`. `false`, or `autocomplete: off`, is for what should not be stored there. Files ' +
        'never are.',
      boolean(),
    ),
  },
  configure: () => undefined,
});

export const rememberFieldPlugin: Plugin = { name: 'remember_field', fieldExtensions: [remember] };
