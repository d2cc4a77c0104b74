import type { PageElement } from '../check/markup.ts';

/** Small print that explains a control, as frameworks and form plugins call it. */
export const isHelp = ({ attributes }: PageElement): boolean =>
  /(^|\s)(form-text|help-?block|help-?(text|message)|hint|field-help|[\w-]*desc(ription)?|[\w-]*help-message)(\s|$)/.test(
    attributes.get('class') ?? '',
  );

export const isError = ({ attributes }: PageElement): boolean =>
  attributes.get('role') === 'alert' ||
  /error|invalid/.test(`${attributes.get('class')} ${attributes.get('id')}`);
