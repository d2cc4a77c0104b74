/** `prefix` and `suffix`: text in the box of a control, such as a unit. */

import { attributes, html } from '@form-relay/base/html';
import { fieldExtension } from '@form-relay/core/extensions';
import { partId, withOwn } from '@form-relay/core/html/element_ids';
import type { LocalizedText, Plugin } from '@form-relay/core/index';
import { label, localizedText } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';

const affixes = fieldExtension({
  name: 'affixes',
  types: ['text', 'email', 'url', 'number'],
  keys: {
    prefix: optional('Text before the value, such as `€`. Not sent.', localizedText(label())),
    suffix: optional('Text after the value, such as `kg`. Not sent.', localizedText(label())),
  },
  configure: ({ prefix, suffix, control }) => {
    if (prefix === undefined && suffix === undefined) return undefined;
    return {
      control: (state) => {
        const { id, locale, classes, describedBy, dir } = state;
        const shown = (name: string, words: LocalizedText | undefined) => {
          const own = { id: partId(id, name), class: withOwn('field-affix', classes.affix), dir };
          return words && html`<span${attributes(own)}>${locale.text(words)}</span>`;
        };
        // Screen readers read them after the label, as a unit.
        const ids = [prefix && partId(id, 'prefix'), suffix && partId(id, 'suffix'), describedBy];
        const typed = control({ ...state, describedBy: ids.filter(Boolean).join(' ') });
        return html`<div class="${withOwn('field-affixed', classes.wrapper)}">${shown('prefix', prefix)}${typed}${shown('suffix', suffix)}</div>`;
      },
    };
  },
});

export const plugin: Plugin = { name: 'affixes', fieldExtensions: [affixes] };
