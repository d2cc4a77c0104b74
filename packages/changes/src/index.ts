/** Visitors change and withdraw what they sent (docs/changes.md). */

import { firstValue } from '@form-relay/base/values';
import { lockedValues } from '@form-relay/capacity/places/claims';
import { outputExtension } from '@form-relay/core/extensions';
import type {
  Outcome,
  OutputContext,
  Plugin,
  Submission,
  Transport,
  Withdrawing,
} from '@form-relay/core/index';
import { withRemark } from '@form-relay/core/outputs/delivery';
import { feature } from '@form-relay/core/plugin';
import { onOutcome } from '@form-relay/core/submission';
import { changeOf, withdrawalOf } from '@form-relay/more-outputs/archive_layout';
import { answeredValues } from '@form-relay/pages/answering_text';
import { duration } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { purposeIn } from '@form-relay/senders/links/index';
import { longestLinkMs } from '@form-relay/senders/links/sealed_link';
import { placesFor } from '@form-relay/stores/index';
import { carryChange, changeMarkup, deliverChange, openChange, pendingField, showChange } from './change.ts';
import { type Changeable, changeAddress, changeField } from './link.ts';
import messages from './messages.json' with { type: 'json' };
import { answerLink } from './page.ts';
import { forgetTaken } from './status.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly changes: Changes;
  }
}

interface Changes extends Withdrawing {
  /** For how long visitors may change or withdraw a submission. */
  readonly forMs: number;
}

const forMs = ({ form }: Submission): number => form.provided.get('changes')?.forMs ?? 0;

/** The link of a submission or a change that was just delivered, or dropped. */
function withLink(outcome: Outcome, submission: Submission, about?: Changeable): Outcome {
  // An answer to an ask is final: the asker has it.
  if (purposeIn(submission, 'ask')) return outcome;
  const { requestId: id, receivedAt, form } = submission;
  const isDecoy = outcome.kind === 'dropped';
  const locked = submission.getState(lockedValues);
  const first = {
    id,
    receivedAt,
    until: receivedAt + forMs(submission),
    locked: locked instanceof Map ? [...locked.keys()] : [],
  };
  const all = isDecoy ? answeredValues(submission) : submission.values;
  const hidesFiles = (name: string) => form.fields.some((field) => field.name === name && field.takeFiles);
  const values = new Map([...all].filter(([name]) => !name.startsWith('_') && !hidesFiles(name)));
  const changes = changeAddress(submission, { ...(about ?? first), latest: id, values, isDecoy });
  // The submission counts, with or without a link.
  return changes === undefined ? outcome : { ...outcome, codes: { ...outcome.codes, changes } };
}

/** Before all checks that tell people from bots. */
const changeLink = feature({
  name: 'change_link',
  before: ['accept_undeclared', 'captcha', 'honeypot', 'links', 'schedule', 'verify', 'double_opt_in'],
  configure: (_, at) => {
    if (at.in('changes').written === undefined) return undefined;
    const isConfirmed = at.in('double_opt_in').written !== undefined;
    const reserved = [changeField, pendingField, changeOf, withdrawalOf];
    return {
      reserves: reserved.map((name) => ({ name, key: [], what: 'the change of a submission' })),
      // Bots must not learn from a missing link that they were dropped.
      ...(!isConfirmed && {
        onRequest: onOutcome((outcome, submission) =>
          outcome.kind === 'dropped' ? withLink(outcome, submission) : outcome,
        ),
      }),
      beforeValidation: openChange,
      afterValidation: carryChange,
      view: showChange,
      markup: changeMarkup,
    };
  },
});

const changes = feature({
  name: 'changes',
  after: ['change_link', 'double_opt_in', 'confirmation_mail', 'receipt', 'link_uses', 'thanks', 'redirect'],
  before: ['places', 'payment'],
  reads: ['shared_state', 'archived'],
  keys: {
    form: {
      changes: optional(
        'How long visitors can change or withdraw a submission, by a link on the page and in the mail that follow: `7d` (docs/changes.md). Needs FORM_TOKEN_SECRET and PUBLIC_URL, and `counted_in` or `keep` at the top.',
        duration({ leastMs: 60_000, mostMs: longestLinkMs, hasDays: true }),
      ),
    },
  },
  configure: ({ form: { changes: forMs }, provided }, at) => {
    if (forMs === undefined) return undefined;
    const place = at.in('changes');
    place.needsEnv('FORM_TOKEN_SECRET', 'PUBLIC_URL');
    if (!provided.get('shared_state')) {
      if (!at.fromTop('counted_in').isWrong)
        place.error(
          `nothing says where it is counted what was withdrawn; write counted_in at the top: ${placesFor('counts')}`,
          { aboutKey: true, fix: [[['counted_in'], '/var/lib/form-relay']] },
        );
      return undefined;
    }
    if (at.in('payment').written !== undefined)
      place.error(
        'paid submissions cannot be changed or withdrawn by a link, because you would have to refund them; leave out one of the two',
        { aboutKey: true },
      );
    const leaves = provided.get('redirect') ?? provided.get('thanks')?.redirects;
    if (leaves && !provided.get('confirmation_mail'))
      place.warning(
        'visitors are redirected to `redirect`, which does not show the link; add a confirmation_mail, or leave out one of the two',
        { aboutKey: true },
      );
    return {
      provides: { forMs, withdraw: (submission) => forgetTaken(submission, forMs) },
      afterValidation: (next) => {
        const first = onOutcome((outcome, submission) =>
          outcome.kind === 'delivered' ? withLink(outcome, submission) : outcome,
        )(next);
        const change = deliverChange(withLink, next);
        return (submission) => (submission.values.has(pendingField) ? change : first)(submission);
      },
    };
  },
  routes: [{ name: 'changes', method: 'GET, POST', answer: answerLink }],
});

/** Outputs read of which submission a delivery is a change, or the withdrawal. */
const marking = outputExtension({
  name: 'changes',
  keys: {},
  configure: ({ provided }) => (provided.get('changes') ? { wrapTransport: marked } : undefined),
});

const marks = [
  { name: changeOf, code: 'mail_changed', header: 'X-Form-Change-Of' },
  { name: withdrawalOf, code: 'mail_withdrawn', header: 'X-Form-Withdrawn' },
];

function marked(inner: Transport, { form: { locale } }: OutputContext): Transport {
  return {
    ...inner,
    send: (delivery, call) => {
      const mark = marks.find(({ name }) => delivery.values.has(name));
      // A mail of a feature's goes to somebody else.
      if (!mark || delivery.mail?.to) return inner.send(delivery, call);
      const { name, code, header } = mark;
      const value = firstValue(delivery.values, name);
      const label = locale.translate({ code });
      const titlePrefix = `[${label}]`;
      const note = delivery.payload.length === 0 && { note: `${label}: ${value}` };
      const remarked = withRemark(delivery, { name, value, label, words: value, header });
      const mail = { ...remarked.mail, subjectPrefix: titlePrefix, ...note };
      return inner.send({ ...remarked, titlePrefix, mail }, call);
    },
  };
}

export const plugin: Plugin = {
  name: 'changes',
  features: [changeLink, changes],
  outputExtensions: [marking],
  messages: { en: messages },
};
