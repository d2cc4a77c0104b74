import { pageContextCode } from '../../built/inline.ts';
import { attributes, html, inlineScript } from '../base/html.ts';
import { pageContextOf, pageFields } from '../base/page_context.ts';
import { hiddenInput } from '../pages/fragments.ts';
import type { OwnAnswers } from './feature.ts';

export const pageAnswers: OwnAnswers = {
  add: (_, { answer, medium }) => {
    const known = answer && pageContextOf(answer.sent ?? new Map(), answer.request.headers);
    // Without a script that fills them in, send only what is known: the `Referer` has the rest.
    const hasInputs = medium !== 'script' && (medium !== 'plain' || known);
    return {
      inputs:
        hasInputs &&
        html`${hiddenInput(pageFields.url, known?.url ?? '')}\n${hiddenInput(pageFields.title, known?.title ?? '')}\n`,
      scriptAttributes: attributes({ 'data-page': 'true' }),
      scripts: medium === 'fragment' && inlineScript(pageContextCode),
    };
  },
};
