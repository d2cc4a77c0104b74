/** `webmcp`: agents in browsers get the form as a tool (the declarative part of the WebMCP draft). */
import { withoutLinks } from '@form-relay/base/html';
import { labelOf } from '@form-relay/core/fields/label';
import type { Field, Locale, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { object } from '@form-relay/schema/collections';
import { boolean, label, localizedText, textSchema } from '@form-relay/schema/scalars';
import { optional, optionalBlock, required, withDefault } from '@form-relay/schema/schema';
import type {} from '@form-relay/spam/honeypot';

/** Browsers silently ignore tools with other names. */
const toolName = /^[\w.-]{1,128}$/;
const badName = 'expected at most 128 ASCII letters, digits, _, - and .';

const block = object(
  {
    description: required(
      'Purpose of the form, in a sentence for the agent: `Books a table`.',
      localizedText(label()),
    ),
    name: optional(
      'Name of the tool (`book_table`). Default: the form’s name.',
      textSchema((text, at) => (toolName.test(text) ? text : at.error(badName)), {
        type: ['string', 'number', 'boolean'],
        pattern: toolName.source,
      }),
    ),
    autosubmit: withDefault(
      'false',
      'Whether an agent may send the form without a person pressing the button.',
      boolean(),
    ),
  },
  '{description: Sends a message to our office.}',
);

const webmcp = feature({
  name: 'webmcp',
  keys: {
    form: {
      webmcp: optionalBlock(
        'Offers the form as a tool to agents in browsers, which fill it in; a person presses the button (docs/agents.md).',
        block,
      ),
    },
  },
  configure: ({ form: { webmcp }, formId, fields }, at) => {
    if (!webmcp) return undefined;
    const { name = formId, description, autosubmit } = webmcp;
    if (!toolName.test(name))
      at.in('webmcp').error(`add a name: the name of this form is not allowed here (${badName})`);
    for (const field of fields) {
      const { attributes } = field;
      const more = (locale: Locale) => ({ toolparamdescription: aboutField(field, locale) });
      Object.assign(field, {
        attributes: (locale: Locale) => ({ ...attributes?.(locale), ...more(locale) }),
      });
    }
    return {
      provides: true as const,
      // With htmx, agents get no response, so the form is not offered as a tool.
      markup: ({ locale, medium }) => ({
        attributes: medium && {
          toolname: name,
          tooldescription: locale.text(description),
          toolautosubmit: autosubmit ? '' : undefined,
        },
      }),
    };
  },
});

function aboutField(field: Field, locale: Locale): string {
  const { help, hint } = field;
  const notes = [help && withoutLinks(locale.text(help)), ...[hint ?? []].flat().map(locale.translate)];
  return [labelOf(field, locale), ...notes.filter(Boolean)].join('. ');
}

export const plugin: Plugin = { name: 'webmcp', features: [webmcp] };
