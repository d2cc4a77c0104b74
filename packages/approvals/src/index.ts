/** `approve` of outputs: a delivery waits until a person named in the config approves it. */
import { parseSubmittedAddress } from '@form-relay/base/address';
import { outputExtension } from '@form-relay/core/extensions';
import type {
  Delivery,
  Diagnostics,
  Form,
  OutputContext,
  Parsed,
  Plugin,
  Transport,
} from '@form-relay/core/index';
import { withRemark } from '@form-relay/core/outputs/delivery';
import { feature } from '@form-relay/core/plugin';
import { withdrawalOf } from '@form-relay/more-outputs/archive_layout';
import { linkedTemplate } from '@form-relay/more-outputs/templates';
import type {} from '@form-relay/queue/alerts';
import { array, object } from '@form-relay/schema/collections';
import { duration, localized, name, number, textSchema } from '@form-relay/schema/scalars';
import {
  jsonSchemaOf,
  optional,
  optionalBlock,
  required,
  schema,
  withDefault,
} from '@form-relay/schema/schema';
import { template } from '@form-relay/schema/templates';
import type { HeldSubmissions, SharedState } from '@form-relay/stores/store';
import { isMailType } from '@form-relay/visitor-mails/carrier';
import { mailsOf } from '@form-relay/visitor-mails/mail';
import type { SendVisitorMail } from '@form-relay/visitor-mails/visitor_mails';
import {
  approvalId,
  type Choice,
  givenEntry,
  givenKey,
  readApproval,
  stateKey,
  verdictOf,
} from './approval.ts';
import { holding, waitsFor, withdrawing } from './holding.ts';
import en from './messages.json' with { type: 'json' };

declare module '@form-relay/core/plugin' {
  interface Provided {
    approvals: Approvals;
  }
}

interface Approvals {
  readonly held: HeldSubmissions;
  readonly state: SharedState;
  /** The form of alerts, whose outputs mail the approvers if this form sends no mails. */
  readonly mailing: Form | undefined;
  /** Mails to the visitor, by output and decision. */
  readonly mails: readonly (Readonly<Record<Choice, SendVisitorMail | undefined>> | undefined)[];
}

const dayMs = 86_400_000;

/** Compared without regard to case. */
const address = textSchema(
  (text, at) =>
    parseSubmittedAddress(text)?.toLowerCase() ??
    at.error('expected the address of a person, such as boss@example.com'),
  { title: 'text', type: 'string', pattern: '@' },
);

const mail = object(
  {
    to: required('`email` field with the visitor’s address (`mail`).', name()),
    subject: required('Subject. Templates can use only fields with options.', localized(template())),
    text: required('Text. Fields as in `subject`.', localized(linkedTemplate())),
  },
  '{to: email, subject: …, text: …}',
);

const keys = {
  by: required(
    'Addresses of the approvers (`ada@example.org`). Each gets a link of their own.',
    array(address, { least: 1, orOne: true }),
  ),
  approvals: withDefault(
    '1',
    'Number of approvals needed. A single refusal rejects the delivery.',
    number({ least: 1, most: 20, whole: true }),
  ),
  expires: withDefault(
    '7d',
    'Time to decide. Afterwards, the delivery becomes a dead letter, and `alerts` notify you.',
    duration({ leastMs: 60_000, mostMs: 90 * dayMs, hasDays: true }),
  ),
  remind: optional(
    'Time until one reminder to approvers who have not decided.',
    duration({ leastMs: 60_000, hasDays: true }),
  ),
  approved_mail: optional('Mail to the visitor after approval.', mail),
  declined_mail: optional('Mail to the visitor after a refusal.', mail),
};
export type Approve = Parsed<typeof keys>;

function problems(
  { by = [], approvals = 1, expires = 0, remind = 0 }: Partial<Approve>,
  at: Diagnostics,
): void {
  if (new Set(by).size < by.length)
    at.in('by').error('an address is listed twice, and each person decides once');
  else if (by.length > 0 && approvals > by.length)
    at.in('approvals').error(`only ${by.length} can approve; add addresses to by`);
  if (expires && remind >= expires)
    at.in('remind').error(
      'the reminder would be sent after the request expires; choose a shorter time than expires',
    );
}

const read = object(keys, '{by: [boss@example.com]}', problems);
/** With a title, all output types share this definition. */
const block = schema(
  () => ({ title: 'approval', ...jsonSchemaOf(read) }),
  (value, at) => read(value, at),
  { properties: keys },
);

const approve = outputExtension({
  name: 'approve',
  keys: {
    approve: optionalBlock(
      'Holds the delivery until a person approves it by a link in a mail (docs/approve.md). Needs `keep` at the top, FORM_TOKEN_SECRET and PUBLIC_URL.',
      block,
    ),
  },
  configure: ({ output: { approve }, provided }) => {
    const { state } = provided.get('approvals') ?? {};
    return (
      approve &&
      state && {
        accepts: (submission) => !(submission.getState(waitsFor) as Set<unknown> | undefined)?.has(approve),
        wrapTransport: remarking(approve, state, provided.get('changes')?.forMs),
      }
    );
  },
});

/** The field in payloads that names the approvers. */
const approvedBy = '_approved_by';

/** The output's place. */
const placeOf = ({ id }: Delivery): number => Number(id.slice(id.lastIndexOf('-') + 1));

/** Says who approved a delivery, and when. */
const remarking =
  (approve: Approve, state: SharedState, changesForMs: number | undefined) =>
  (inner: Transport, { services, form: { locale } }: OutputContext): Transport => ({
    ...inner,
    send: async (delivery, call) => {
      // The mail belongs to another feature, and only uses this output.
      if (delivery.mail?.to) return inner.send(delivery, call);
      // The owner can also release a delivery that waits for approval.
      if (changesForMs && !delivery.values.has(withdrawalOf))
        await state.change({ services }, givenKey(delivery, placeOf(delivery)), () =>
          givenEntry(changesForMs, services.now()),
        );
      const entry = await state.read({ services }, stateKey(approvalId(delivery)));
      const verdict = verdictOf(approve, readApproval(entry, 0).decisions);
      if (!verdict) return inner.send(delivery, call);
      const words = `${verdict.by}, ${new Date(verdict.at).toISOString().slice(0, 19)}Z`;
      const label = locale.translate({ code: 'approve_by' });
      return inner.send(withRemark(delivery, { name: approvedBy, value: words, label, words }), call);
    },
  });

const approvals = feature({
  name: 'approvals',
  reads: ['held', 'shared_state', 'visitor_mail'],
  after: [
    'places',
    'links',
    'double_opt_in',
    'confirmation_mail',
    'receipt',
    'keys',
    'verify',
    'doubt',
    'scan',
  ],
  configure: (config, at) => {
    const { outputs = [] } = config.form as { readonly outputs?: readonly { readonly approve?: Approve }[] };
    const first = outputs.findIndex(({ approve }) => approve);
    if (first < 0) return undefined;
    const here = at.in('outputs', first, 'approve');
    here.needsEnv('FORM_TOKEN_SECRET', 'PUBLIC_URL');
    const [held, state] = [config.provided.get('held'), config.provided.get('shared_state')];
    const mailing = config.sharedBy.get('alerts')?.form;
    const types = [...config.outputTypes, ...(mailing?.outputs.map(({ type }) => type) ?? [])];
    const report = (problem: string) => here.error(problem, { aboutKey: true });
    if (!types.some(isMailType) && !mailsOf(config).some(([, { through }]) => through))
      report('no output can mail the approvers; add an output of type smtp or email');
    if (at.in('payment').written !== undefined)
      report('payment and approve cannot be combined; remove one of the two');
    if (!held || !state)
      return report(
        'submissions that wait for approval need a store; add keep: {in: /var/lib/form-relay} at the top of the file, with a folder or nats://…; other queues cannot look up a submission',
      );
    const mailOf = (approve: Approve, output: number, choice: Choice) => {
      const key = `${choice}d_mail` as const;
      const place = at.in('outputs', output, 'approve', key);
      return approve[key] && config.provided.get('visitor_mail')?.open(key, approve[key].to, place);
    };
    const mails = outputs.map(
      ({ approve }, output) =>
        approve && {
          approve: mailOf(approve, output, 'approve'),
          decline: mailOf(approve, output, 'decline'),
        },
    );
    return {
      provides: { held, state, mails, mailing },
      reserves: [{ name: approvedBy, key: [] }],
      afterValidation: holding(held, state),
    };
  },
  routes: [
    {
      name: 'approvals',
      method: 'GET, POST',
      answer: async (call) => (await import('./approve_page.ts')).answer(call),
    },
  ],
});

/** Runs before anything is queued. */
const withdrawals = feature({
  name: 'approvals_withdrawn',
  before: ['keep'],
  configure: (_, at) =>
    at.in('changes').written === undefined ? undefined : { aroundDelivery: withdrawing },
});

export const plugin: Plugin = {
  name: 'approvals',
  outputExtensions: [approve],
  features: [approvals, withdrawals],
  messages: { en },
  start: (life) => {
    if (!life.livesOn || ![...life.forms.values()].some(({ provided }) => provided.get('approvals'))) return;
    let tending: Promise<void> | undefined;
    const tend = () => {
      tending ??= life
        .hold(async () => (await import('./asking.ts')).tendAll(life))
        .finally(() => {
          tending = undefined;
        });
      life.wait(tending);
    };
    life.signal.addEventListener('abort', life.services.repeat(600_000, tend));
    tend();
  },
};
