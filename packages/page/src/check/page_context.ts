import { page } from '@form-relay/relay/features';
import { placeOf } from './markup.ts';
import { isForScript } from './own_script.ts';
import { type PageCheck, warning } from './page_finding.ts';

/** A form that was printed says its page as the config wanted it then. Others ask the relay. */
export const pageContext: PageCheck = ({ form, config }) => {
  const isPrinted = form.attributes.has('data-not-sent');
  const saysPage = form.attributes.has('data-page');
  if (!isForScript(form) || !isPrinted || saysPage === (page.of(config) === true)) return [];
  const again = `print it again: relay form html ${config.id}`;
  return page.of(config)
    ? [
        warning(
          form.place,
          'page_not_said',
          `when this was printed, page was not true, so that the relay does not learn its page; ${again}`,
        ),
      ]
    : [
        warning(
          placeOf(form, 'data-page'),
          'page_still_said',
          `this still sends the page, which the config no longer asks for; ${again}`,
        ),
      ];
};
