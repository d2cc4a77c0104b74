/** The key `keep` of a form, `failed` or `always`: queues deliveries and retries them. */

import type { ClientError } from '@form-relay/base/client_error';
import { chain } from '@form-relay/base/maybe_promise';
import type { Hooks, Middleware, Outcome, Plugin, Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { delivered, onOutcome, undelivered } from '@form-relay/core/submission';
import { type AnsweringText, answeringText, checkFields, renderText } from '@form-relay/pages/answering_text';
import { object } from '@form-relay/schema/collections';
import { duration, oneOf, storagePlace, textSchema } from '@form-relay/schema/scalars';
import { isMap, optional, required, withDefault } from '@form-relay/schema/schema';
import { configuredPlace } from '@form-relay/stores/index';
import type { FormQueue, QueueConfig } from './open_stores.ts';
import type { FailedDelivery, Queue } from './queue.ts';
import { isBusy } from './retry_policy.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    keep: QueueConfig;
  }
  interface Provided {
    keep: FormQueue;
  }
}

const place = textSchema(storagePlace);

const bucketUrl = textSchema(
  (found, at) => {
    const [, bucket = '', prefix = ''] =
      /^s3:\/\/([a-z\d][\w.-]{1,253}[a-z\d])(?:\/(.*))?$/i.exec(found) ?? [];
    const path = prefix.replaceAll(/^\/|\/$/g, '');
    const isSound = path === '' || !/[\0-\x1f\x7f]|(^|\/)(\.{0,2})(\/|$)|\{\{/.test(path);
    return bucket !== '' && isSound
      ? { bucket, prefix: path === '' ? '' : `${path}/` }
      : at.error(`found ${JSON.stringify(found)}; expected a bucket as s3://bucket or s3://bucket/prefix`);
  },
  { title: 'text', type: 'string', pattern: '^[sS]3://' },
);

const store = object(
  {
    in: required(
      'An existing local folder, or a queue: `sqs://…`, `nats://…`, or `queue://…` on Cloudflare Workers (docs/keep-stores.md). Never templated.',
      place,
    ),
    for: withDefault(
      '14d',
      'How long to retry a delivery before it becomes a dead letter.',
      duration({ leastMs: 60_000, hasDays: true }),
    ),
    files_in: optional(
      'Bucket for deliveries too large for `sqs://…` or `queue://…`: `s3://bucket/prefix`.',
      bucketUrl,
    ),
  },
  '{in: /var/lib/form-relay}',
);

export const keepFeature = (keepDeliveries: Queue['keep']) =>
  feature({
    name: 'keep',
    keys: {
      form: {
        keep: optional(
          'Queues and retries failed deliveries (`failed`), or queues every delivery before its first try (`always`), so that visitors never wait. `keep` at the top sets the store.',
          oneOf(['failed', 'always']),
        ),
        kept_message: optional(
          'Text instead of `confirmation` if the delivery is queued. Links and templates such as `{{ .fields.name }}` work.',
          answeringText(),
        ),
      },
      top: {
        keep: optional('Store of queued deliveries, for forms with `keep` (docs/keep.md).', store),
      },
    },
    configureTop: ({ keep }, at, { forms, plugins }): QueueConfig | undefined => {
      if (!keep?.in) return undefined;
      const place = configuredPlace(keep.in, plugins, 'deliveries', at.in('keep', 'in'));
      if (!place) return undefined;
      if (forms.size > 0 && ![...forms.values()].some(usesStore) && !plugins.some(usesWaiting))
        at.in('keep').warning('no form queues deliveries; add keep: failed or keep: always to a form');
      if (keep.files_in && place.type.mostBytes === undefined)
        at.in('keep', 'files_in').warning('this has no effect: the store accepts large deliveries itself');
      return { in: place, forMs: keep.for, filesIn: keep.files_in };
    },
    configure: ({ form, top, shared: where, fields, provided }, at) => {
      const { keep: what, kept_message: message } = form;
      if (what === undefined) {
        if (message !== undefined)
          at.in('kept_message').warning('this has no effect: the form has no `keep`', { fix: 'remove' });
        return undefined;
      }
      if (!where) {
        if (top.keep === undefined && !at.fromTop('keep').isWrong)
          at.in('keep').error(
            'keep needs a store; add keep: {in: /var/lib/form-relay} at the top of the file, beside forms; on Cloudflare Workers, keep: {in: queue://KEPT/ASIDE}',
            { fix: [[['keep'], { in: '/var/lib/form-relay' }]] },
          );
        return undefined;
      }
      const { mostBytes } = where.in.type;
      if (mostBytes && !where.filesIn && fields.some(({ takeFiles }) => takeFiles))
        at.in('keep').warning(
          `a message of ${where.in.name} can have only ${inSize(mostBytes)}, so submissions with larger files cannot be queued; add files_in: s3://bucket beside in`,
        );
      if (message) checkFields(message, { fields, provided }, at.in('kept_message'));
      return hooksOf({ what, where }, message, keepDeliveries);
    },
  });

const inSize = (bytes: number) =>
  bytes < 2 ** 20 ? `${Math.floor(bytes / 1_000)} KB` : `${bytes / 2 ** 20} MB`;

/** Whether a form uses the store of `keep`. Counters and idempotency keys use it, too, unless the config names another one. */
const usesStore = (form: Readonly<Record<string, unknown>>): boolean =>
  ['keep', 'places', 'option_places', 'once', 'keys_env'].some((key) => form[key] !== undefined) ||
  (Array.isArray(form.fields) && form.fields.some((field) => isMap(field) && field.verify !== undefined));

/** Whether a plug-in uses the store. These plug-ins are loaded only if a form needs them. */
const usesWaiting = ({ features = [] }: Plugin): boolean =>
  features.some(({ reads = [] }) => reads.includes('held') || reads.includes('shared_state'));

const busy = ({ message, retryAfterMs = 0 }: ClientError): Outcome => ({
  kind: 'busy',
  status: 503,
  message: { code: 'overloaded' },
  headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) },
  why: message,
  level: 'warn',
  isFrequent: true,
});

function hooksOf(
  queue: FormQueue,
  message: AnsweringText | undefined,
  keepDeliveries: Queue['keep'],
): Hooks<'keep'> {
  const { what } = queue;
  const withMessage = (outcome: Outcome, submission: Submission): Outcome =>
    message === undefined
      ? outcome
      : { ...outcome, says: (locale) => renderText(message, submission, locale) };
  const keepOr = async (
    otherwise: Outcome,
    submission: Submission,
    failed: readonly FailedDelivery[],
  ): Promise<Outcome> => {
    const { form, services } = submission;
    const error = services.isDryRun ? undefined : await keepDeliveries(submission, queue, failed);
    if (error) return otherwise === undelivered && isBusy(error) ? busy(error) : otherwise;
    const mustArrive = failed.some(
      ({ output, why }) => why === 'unregistered_type' || form.outputs[output]?.on_error === 'fail',
    );
    return mustArrive ? withMessage(delivered, submission) : delivered;
  };
  const always: Middleware = (next) => (submission) => {
    const all = submission.form.outputs.flatMap(({ accepts }, output) =>
      !accepts || accepts(submission) ? { output, why: undefined } : [],
    );
    // No output accepts the submission; the core handles that.
    if (all.length === 0) return next(submission);
    const keepAll = () => keepOr(undelivered, submission, all);
    // A dry run reports the deliveries that would follow the response.
    return submission.services.isDryRun ? chain(next(submission), keepAll) : keepAll();
  };
  const afterFailures: Middleware = (next) => (submission) =>
    chain(next(submission), (outcome) => {
      const failed = submission.deliveries.flatMap((one) =>
        one?.error === undefined ? [] : { output: one.output, why: one.error },
      );
      return failed.length === 0 ? outcome : keepOr(outcome, submission, failed);
    });
  return {
    provides: queue,
    // Lower a failed delivery to a warning: if it cannot be queued, `keep_failed` is the error.
    decorateServices: (services) => ({
      ...services,
      log: (level, event, fields) =>
        services.log(event === 'delivery_failed' && level === 'error' ? 'warn' : level, event, fields),
    }),
    // A dropped submission must get the same response as a queued one.
    ...(what === 'always' &&
      message !== undefined && {
        onRequest: onOutcome((outcome, submission) =>
          outcome.kind === 'dropped' && submission.form.outputs.some(({ on_error }) => on_error === 'fail')
            ? withMessage(outcome, submission)
            : outcome,
        ),
      }),
    aroundDelivery: what === 'always' ? always : afterFailures,
  };
}
