import { placeOf } from './markup.ts';
import { isForScript } from './own_script.ts';
import { type PageCheck, warning } from './page_finding.ts';

/** A form that was printed says its page as the config wanted it then. Others ask the relay. */
export const pageContext: PageCheck = ({ form, config }) => {
  const isAsked = config.provided.get('page') === true;
  const isPrinted = form.attributes.has('data-not-sent');
  if (!isForScript(form) || !isPrinted || form.attributes.has('data-page') === isAsked) return [];
  const [code, found] = isAsked
    ? ['page_not_said', 'when this was printed, page was not true, so that the relay does not learn its page']
    : ['page_still_said', 'this still sends the page, which the config no longer asks for'];
  return [
    warning(placeOf(form, 'data-page'), code, `${found}; print it again: relay form html ${config.id}`),
  ];
};
