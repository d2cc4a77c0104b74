/** Lets outputs handle doubted submissions: skip or accept quarantined ones, and tag doubted ones. */

import { outputExtension } from '@form-relay/core/extensions';
import type { OutputContext, Transport } from '@form-relay/core/index';
import { withRemark } from '@form-relay/core/outputs/delivery';
import { oneOf } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';
import { markHeader, markNames, noticedIn, spamMarkIn } from './marks.ts';

export const aside = outputExtension({
  name: 'aside',
  keys: {
    aside: withDefault(
      'never',
      'Which submissions it gets where `spam.doubt` sets some aside: `never` those, `only` those, or `also` those (docs/doubt.md).',
      oneOf(['never', 'only', 'also']),
    ),
  },
  configure: ({ output: { aside = 'never' }, provided }, at) => {
    const score = provided.get('doubt');
    const canQuarantine = score?.thresholds.some(({ action }) => action === 'aside');
    if (!canQuarantine && aside !== 'never')
      at.in('aside').warning(
        `nothing is set aside in this form${aside === 'only' ? ', so this output never gets anything' : ''}; write \`doubt: {aside: 8}\` into its \`spam\`, or leave this out`,
      );
    if (!score) return aside === 'only' ? { accepts: () => false } : undefined;
    return {
      heldBack: aside === 'never' ? undefined : aside,
      ...(aside !== 'also' && {
        accepts: ({ values }) => values.has(markNames.aside) === (aside === 'only'),
      }),
      wrapTransport: tagging,
    };
  },
});

/** Tags a doubted submission: among its values, in a header, and before the subject of mails. */
function tagging(inner: Transport, { form: { locale } }: OutputContext): Transport {
  return {
    ...inner,
    send: (delivery, call) => {
      const mark = spamMarkIn(delivery.values);
      if (mark === undefined) return inner.send(delivery, call);
      const remarked = withRemark(delivery, {
        name: markNames.tag,
        value: mark,
        label: locale.translate({ code: 'mail_doubt' }),
        words: noticedIn(mark, locale.language ?? 'en'),
        header: markHeader,
      });
      return inner.send({ ...remarked, mail: { ...remarked.mail, subjectPrefix: '[Spam?]' } }, call);
    },
  };
}
