/** `spam.doubt`: scores a submission for spam, and takes the action that the config sets for the score. */
import { addressOfClient } from '@form-relay/base/client';
import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import { firstValue } from '@form-relay/base/values';
import { outputExtension } from '@form-relay/core/extensions';
import type {
  Form,
  Handler,
  Middleware,
  Outcome,
  OutputContext,
  Plugin,
  Submission,
  Transport,
} from '@form-relay/core/index';
import { withRemark } from '@form-relay/core/outputs/delivery';
import { feature } from '@form-relay/core/plugin';
import type { SignalType } from '@form-relay/core/signal';
import { dropped, guard, isFinal } from '@form-relay/core/submission';
import { oneOf } from '@form-relay/schema/scalars';
import { optional, withDefault } from '@form-relay/schema/schema';
import type { Captcha } from '../captcha/captcha.ts';
import { answeredToken } from '../captcha/other_way.ts';
import { type Lists, loadLists, noLists } from '../lists/read_list.ts';
import { filledInMs, mayBeTooFast } from '../min_fill.ts';
import { challenged } from '../proof/check.ts';
import { UsedOnce } from '../proof/markup.ts';
import type { SignalInput } from '../signals/signal.ts';
import { hasUsedProof, isExcused, isProven, spamJudgment, suspicion } from '../state.ts';
import { checkConfig, mergedSignals, pluginSignalsOf, scoreKeys, signalsOf, weightsOf } from './keys.ts';
import { markHeader, markNames, noticedIn, spamMarkIn, thresholdsOf } from './marks.ts';
import { Texts } from './texts.ts';
import {
  inLog,
  type Judgment,
  judge,
  judgmentInWords,
  type ScoreConfig,
  type Weighed,
  weighAll,
  whyJudged,
  withHaste,
  withSuspicion,
} from './weigh.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    readonly doubt: { readonly lists: Lists; readonly types: readonly SignalType[] };
  }
  interface Provided {
    readonly doubt: ScoreConfig;
    readonly too_fast: 'doubt';
  }
}

/** Lets submissions that were sent too fast pass, and adds points instead. */
const tooFast = feature({
  name: 'too_fast',
  before: ['min_fill'],
  keys: {
    spam: {
      too_fast: optional(
        'Action for submissions faster than `min_fill_seconds`: `drop` them, or `doubt` them: deliver them with a mark and the points of `tag` (docs/spam.md). Default: `drop`.',
        oneOf(['drop', 'doubt']),
      ),
    },
  },
  configure: ({ spam, topSpam }, at) => {
    const { too_fast: what } = spam;
    if (what === undefined) return undefined;
    const place = at.in('spam', 'too_fast');
    if (!('min_fill_seconds' in spam))
      place.error('this has no effect: without min_fill_seconds, no submission is too fast', {
        aboutKey: true,
      });
    if (what !== 'doubt') return undefined;
    const thresholds = thresholdsOf(spam, topSpam);
    if (!thresholds.some(({ action }) => action === 'tag'))
      place.error(
        'submissions sent too fast are marked by tag, but doubt has no tag; write doubt: tag, or add tag to doubt, such as {tag: 5, challenge: 8}',
      );
    return {
      provides: what,
      browsersOnly: true,
      beforeValidation: guard((submission) => {
        submission.setState(mayBeTooFast, true);
        return undefined;
      }),
    };
  },
});

export const plugin = (): Plugin => {
  const texts = new Texts();
  return {
    name: 'spam_score',
    features: [
      tooFast,
      feature({
        name: 'doubt',
        after: ['honeypot', 'min_fill', 'captcha', 'proof'],
        keys: { sharedSpam: scoreKeys() },
        keysFrom: (plugins) => ({ sharedSpam: scoreKeys(plugins) }),
        configureTop: (_, at, context) => {
          checkConfig(at, context);
          const types = signalsOf(context.plugins);
          return chain(loadLists(at, context), (lists) => ({ lists, types }));
        },
        configure: ({ spam, topSpam, shared: { lists, types } = { lists: noLists, types: [] } }, at) => {
          const thresholds = thresholdsOf(spam, topSpam);
          if (spam.signals && thresholds.length === 0)
            at.in('spam', 'signals').warning(
              'these points have no effect unless `doubt` is set; add doubt: observe to log them',
            );
          if (thresholds.length === 0) return undefined;
          const weights = mergedSignals(spam, topSpam);
          const signals = weightsOf(weights).map(({ type, weight, keys }) => type.make(weight, keys, lists));
          const asked = pluginSignalsOf(weights, types);
          for (const { name, needs = [] } of [...signals, ...asked])
            at.in('spam', 'signals', name).needsEnv(...needs);
          return {
            reserves: Object.values(markNames).map((name) => ({
              name,
              key: [],
              what: 'reserved for submissions in doubt',
            })),
            provides: { thresholds, signals, asked },
            cards: [
              {
                name: 'doubt',
                says: `${signals.length + asked.length} signals, in points: ${thresholds
                  .toReversed()
                  .map(({ action, from }) => `${action} from ${from}`)
                  .join(', ')}`,
              },
            ],
            browsersOnly: true,
            beforeValidation: scoring({ thresholds, signals, asked }, texts),
            afterValidation: guard((submission) => {
              const { marks } = (submission.getState(spamJudgment) ?? {}) as Partial<Judgment>;
              if (marks) submission.values = new Map([...submission.values, ...marks]);
              return undefined;
            }),
          };
        },
      }),
    ],
    outputExtensions: [aside],
    messages: { en: { mail_doubt: 'Possible spam' } },
  };
};

/** Scores a submission. If it is returned to be sent again, undoes what the signals recorded. */
const scoring =
  (doubt: ScoreConfig, texts: Texts): Middleware =>
  (next) =>
  (submission) => {
    const { services } = submission;
    const weighed = weighAll(doubt, seenOf(submission), { services, texts }, submission);
    return chain(weighed, (all) => decide(doubt, all, submission, next));
  };

function decide(doubt: ScoreConfig, weighed: Weighed, submission: Submission, next: Handler) {
  const { trace } = submission;
  const tooFastMs = submission.getState(filledInMs);
  const suspected = submission.getState(suspicion);
  const hasted = typeof tooFastMs === 'number' ? withHaste(weighed, tooFastMs, doubt) : weighed;
  const all = typeof suspected === 'string' ? withSuspicion(hasted, suspected, doubt) : hasted;
  const judgment = judge(doubt.thresholds, all, submission.getState(isProven) === true);
  submission.setState(spamJudgment, judgment);
  submission.addLogFields(inLog(judgment));
  trace?.note(judgmentInWords(judgment, doubt.thresholds));
  trace?.detail({ signals: judgment.signals, silent: judgment.silent });
  const { undo } = weighed;
  const again = () => decide(doubt, weighed, submission, next);
  const ending = outcomeOf(judgment, submission, again) ?? next(submission);
  if (!undo) return ending;
  return chain(ending, (outcome) => {
    if (!isFinal(outcome)) undo();
    return outcome;
  });
}

/** @param proven Decides again once the sender has solved the captcha. */
function outcomeOf(
  judgment: Judgment,
  submission: Submission,
  proven: () => MaybePromise<Outcome>,
): MaybePromise<Outcome> | undefined {
  const { action } = judgment;
  if (action === 'drop') return dropped('doubt', whyJudged(judgment));
  if (action !== 'challenge') return undefined;
  const why = whyJudged(judgment);
  const { provided } = submission.form;
  const captcha = provided.get('captcha');
  if (captcha?.onlyInDoubt && !provided.get('proof')?.asksChallenged)
    return asksCaptcha(captcha, submission, why, proven);
  const isUsed = submission.getState(hasUsedProof) === true;
  return challenged({ by: 'doubt', isUsed, why });
}

/** Tokens whose number was typed in place of a captcha. */
const used = new UsedOnce();

/** Shows the form again with the captcha, until its token is accepted or the number is typed. */
function asksCaptcha(
  captcha: Captcha,
  submission: Submission,
  why: string,
  proven: () => MaybePromise<Outcome>,
): MaybePromise<Outcome> {
  const { provider, siteKey: site_key, field } = captcha;
  const outcome: Outcome = {
    ...challenged({ by: 'doubt', isUsed: false, why }),
    message: { code: 'challenge_captcha' },
    json: { captcha: { provider, site_key, field } },
  };
  const pass = () => {
    submission.setState(isProven, true);
    return proven();
  };
  const token = captcha.hasOtherWay ? answeredToken(submission) : undefined;
  if (token !== undefined) {
    const name = `${submission.formId}\0${token}`;
    if (!used.use(name)) return { ...outcome, message: { code: 'challenge_used' } };
    return chain(pass(), (ending) => {
      if (!isFinal(ending)) used.giveBack(name);
      return ending;
    });
  }
  if (firstValue(submission.sent, field) === '') return outcome;
  return chain(captcha.refusal(submission), (refused) =>
    refused ? { ...outcome, why: `${refused.why}; ${why}` } : pass(),
  );
}

const undeclaredIn = ({ takesUndeclared }: Form, sent: Submission['sent']) =>
  [...sent.keys()].flatMap((name) =>
    takesUndeclared?.(name) ? { name, type: 'text', isUndeclared: true as const } : [],
  );

const seenOf = (submission: Submission): SignalInput => {
  const { sent, form, request, client, receivedAt } = submission;
  return {
    formId: form.id,
    fields: form.takesUndeclared ? [...form.inputs, ...undeclaredIn(form, sent)] : form.inputs,
    languages: form.provided.get('languages')?.offered ?? [],
    values: sent,
    // An agent does not pretend to be a browser.
    headers: isExcused(submission, false) ? undefined : request.headers,
    address: addressOfClient(client),
    receivedAt,
  };
};

export const aside = outputExtension({
  name: 'aside',
  keys: {
    aside: withDefault(
      'never',
      'Whether this output gets submissions that `spam.doubt` sets aside: `never`, `only` those, or `also` those (docs/doubt.md).',
      oneOf(['never', 'only', 'also']),
    ),
  },
  configure: ({ output: { aside = 'never' }, provided }, at) => {
    const score = provided.get('doubt');
    const canQuarantine = score?.thresholds.some(({ action }) => action === 'aside');
    if (!canQuarantine && aside !== 'never')
      at.in('aside').warning(
        `nothing is set aside in this form${aside === 'only' ? ', so this output never gets anything' : ''}; add \`doubt: {aside: 8}\` to its \`spam\`, or remove this key`,
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

/** Tags a doubted submission among its values, in a header, and in the subject of mails. */
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
        words: noticedIn(mark, locale.language ?? 'en', locale.translate),
        header: markHeader,
      });
      return inner.send({ ...remarked, mail: { ...remarked.mail, subjectPrefix: '[Spam?]' } }, call);
    },
  };
}
