/** `verify: code`: accepts a form only after the visitor has typed the code that was mailed to the address in it. */
import { createHmac } from 'node:crypto';
import { firstValue } from '@form-relay/base/values';
import { type Counters, countingPlace } from '@form-relay/capacity/counters/index';
import { codesKey, conclude, uncounted, whyUncounted } from '@form-relay/capacity/counters/registration';
import type { Claim } from '@form-relay/capacity/counters/tally';
import { isUnchanged } from '@form-relay/capacity/places/claims';
import { fieldExtension } from '@form-relay/core/extensions';
import type { Feature, Field, Handler, Outcome, Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { noTokenSecret, onOutcome } from '@form-relay/core/submission';
import { oneOf } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { placesFor } from '@form-relay/stores/index';
import {
  addressIn,
  againField,
  asking,
  type Code,
  codeField,
  codeMarkup,
  newCode,
  openCode,
  sealed,
  tokenField,
  typedCode,
  withoutMessages,
} from './code_input.ts';
import { mailInOwnWords, senderIn } from './confirmation_mail.ts';
import { type CodeMail, checkMail, codeMailSchema, type VisitorMail } from './keys.ts';
import { addressError, hourMs, noteIn, plainAddressOf } from './mail.ts';
import { createCodeDecoy, type Mailing } from './mailing.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    verify: { readonly mail: CodeMail | undefined };
  }
}

/** Together with `hourMs`, this makes the limits in docs/double_opt_in.md. */
const triesOfCode = 5;
const codesOfAddress = 3;

const leaveOut = { aboutKey: true, fix: 'remove' } as const;

export const verifyKey = fieldExtension({
  name: 'verify',
  types: ['email'],
  keys: {
    verify: optional(
      '`code` mails six digits to the address, which visitors type into the form (docs/verify-address.md). Only one field of a form can have it. Needs FORM_TOKEN_SECRET.',
      oneOf(['code']),
    ),
  },
  configure: ({ verify }, at) => {
    // The field is inside the `fields` of a `repeat` field.
    if (verify && at.path.slice(3).includes('fields'))
      at.in('verify').error(
        'repeated fields cannot be verified; put the address beside the field of type repeat',
        leaveOut,
      );
    return undefined;
  },
});

const isVerified = (field: Field & { readonly verify?: unknown }): boolean => field.verify !== undefined;

export const verify = (mailing: Mailing): Feature =>
  feature({
    name: 'verify',
    after: ['captcha', 'min_fill'],
    before: ['double_opt_in', 'confirmation_mail', 'registered_mail', 'places'],
    keys: {
      form: {
        verification_mail: optional(
          'Mail with the code for a field with `verify`. Default: the relay’s own text, in the form’s language.',
          codeMailSchema,
        ),
      },
    },
    configure: (config, at) => {
      const { form, fields, pathOf, sharedBy } = config;
      const { verification_mail: own } = form;
      const [field, another] = fields.filter(isVerified);
      const mailPlace = at.in('verification_mail');
      if (!field) {
        if (own)
          mailPlace.error(
            'no field has verify, so this mail is never sent; add verify: code to an email field, or remove this key',
            leaveOut,
          );
        return undefined;
      }
      const { name } = field;
      const place = at.in(...pathOf(field), 'verify');
      place.needsEnv('FORM_TOKEN_SECRET');
      if (another)
        at.in(...pathOf(another), 'verify').error(
          `a form can verify only one address, and "${name}" already does; remove this one`,
          leaveOut,
        );
      if (at.in('double_opt_in').written !== undefined)
        place.error('double_opt_in already confirms the address; remove one of the two', leaveOut);
      if (!sharedBy.get('counters') && !countingPlace(sharedBy.get('keep')))
        place.error(
          `the relay needs a store to count attempts at a code; add counted_in at the top: ${placesFor('counts')}`,
          { aboutKey: true, fix: [[['counted_in'], '/var/lib/form-relay']] },
        );
      const sender = senderIn(form);
      checkMail(own ?? sender, config, mailPlace);
      const decoy = createCodeDecoy(mailing.pace, triesOfCode);
      const mailFor = (submission: Submission): VisitorMail =>
        own ? { ...own, to: name } : mailInOwnWords('code_mail', name, sender, submission);
      return {
        provides: { mail: own },
        cards: [{ name: 'verify', says: `asks for a code, mailed to the address in “${name}”` }],
        reserves: [
          { name: codeField, key: [], what: 'the code of an address' },
          { name: tokenField, key: [], what: 'the sealed code of an address' },
          { name: againField, key: [], what: 'the button that mails a new code' },
        ],
        view: withoutMessages,
        markup: (view) => codeMarkup(name, view),
        // Bots that validation drops get the same response as people.
        onRequest: onOutcome((outcome, submission) => {
          if (outcome.kind !== 'dropped' || submission.values.size > 0) return outcome;
          return decoy(mailFor(submission), submission).then((answer) => {
            const { kind, by, why, code } = outcome;
            return answer ? { ...answer, kind, by, why, code } : outcome;
          });
        }),
        afterValidation: (next) => (submission) => {
          if (submission.isTrusted || addressIn(submission.values, name) === '') return next(submission);
          if (isUnchanged(submission, name)) return next(submission);
          const verification = new Verification(mailFor(submission), mailing, submission);
          return addressError(name, submission) ?? verification.check(next);
        },
      };
    },
  });

/** Counts attempts in the store, so that neither restarts nor further copies of the relay allow more. */
class Verification {
  readonly #secret: string;
  /** The token that the form contained. */
  readonly #token: string;

  constructor(
    private readonly mail: VisitorMail,
    private readonly mailing: Mailing,
    private readonly submission: Submission,
  ) {
    this.#secret = submission.settings.formTokenSecret;
    this.#token = firstValue(submission.sent, tokenField);
  }

  async check(next: Handler): Promise<Outcome> {
    if (this.#secret === '') return noTokenSecret;
    const { submission, mailing } = this;
    const startedAt = submission.services.now();
    try {
      const outcome = await this.#check(next);
      const code = outcome.by === 'verify' ? outcome.message?.code : undefined;
      if (code === 'code_sent') mailing.pace.keep('mail', submission, startedAt);
      if (code === 'code_wrong') mailing.pace.keep('try', submission, startedAt);
      return outcome;
    } catch (error) {
      const why = `the tries could not be counted: ${whyUncounted(error, this.submission)}`;
      return { ...uncounted, message: { code: 'busy' }, why };
    }
  }

  async #check(next: Handler): Promise<Outcome> {
    const { submission, mail } = this;
    const { formId, services, sent, values } = submission;
    const code = openCode(this.#secret, formId, this.#token, addressIn(values, mail.to));
    const typed = typedCode(sent);
    if (!code && typed !== '' && services.isDryRun) {
      submission.trace?.note('any code works here; the real one is in the mail');
      return (await this.#mailCode(newCode(values, mail.to, submission))) ?? next(submission);
    }
    if (!code?.mailed) return this.#renew('code_sent');
    if (services.now() > code.until) return this.#renew('code_renewed');
    if (typed === '') return (await this.#mailCode(code)) ?? asking('code_sent', this.#token, code.address);
    return this.#try(typed === code.digits, next);
  }

  /** A right code counts only if attempts are left, and delivers once. */
  async #try(isRight: boolean, next: Handler): Promise<Outcome> {
    const tried = this.#hashOf(this.#token);
    const used = { key: `${tried}+`, limit: 1 };
    const full = await this.#reserve(tried, triesOfCode, isRight ? [used] : []);
    if (full.includes(tried)) return this.#renew('code_renewed');
    if (full.length > 0) return asking('code_used', '', '');
    const outcome = isRight ? await next(this.submission) : asking('code_wrong', this.#token, '');
    const isTaken = !isRight || outcome.message === undefined;
    const concluding = this.#conclude(tried, isTaken);
    await (isRight ? this.submission.defer(() => concluding) : concluding);
    return outcome;
  }

  /** Mails a new code. */
  async #renew(said: string): Promise<Outcome> {
    const { submission, mail } = this;
    const { values, services } = submission;
    const code = newCode(values, mail.to, submission);
    if (services.isDryRun)
      return (await this.#mailCode(code)) ?? asking(said, sealed(code, submission), code.address);
    const hash = this.#hashOf(plainAddressOf(code.address));
    if ((await this.#reserve(hash, codesOfAddress)).length > 0) {
      noteIn(submission, 'verification_mail', 'address_had_one');
      const { outcomeWithout } = await import('./mailer.ts');
      return outcomeWithout('address_had_one', mail.to);
    }
    const failed = await this.#mailCode(code);
    await this.#conclude(hash, !failed);
    return failed ?? asking(said, sealed(code, submission), code.address);
  }

  /** The outcome if the code was not mailed, or `undefined`. */
  async #mailCode({ digits }: Code): Promise<Outcome | undefined> {
    const { submission, mail } = this;
    const ending = await submission.form.provided.get('places')?.precheck(submission);
    return ending ?? this.mailing.awaited({ key: 'verification_mail', mail, submission, code: digits });
  }

  /** Returns which of the limits have been reached. */
  async #reserve(hash: string, limit: number, more: readonly Claim[] = []): Promise<readonly string[]> {
    const { formId, services, requestId: id, deadline } = this.submission;
    const claims = [{ key: hash, limit }, ...more];
    const waitMs = (deadline - services.now()) / 2;
    const wanted = { id, claims, isRemembered: false, forMs: hourMs, waitMs };
    const counter = await this.#counters.counter(services);
    return (await counter.reserve(codesKey(formId, hash), wanted)).full;
  }

  #conclude(hash: string, isTaken: boolean): Promise<void> {
    const { submission } = this;
    return conclude(this.#counters, [codesKey(submission.formId, hash)], isTaken, submission);
  }

  /** Every loaded config has counters. */
  get #counters(): Counters {
    return this.submission.form.provided.get('counters') as Counters;
  }

  #hashOf(text: string): string {
    const { formId } = this.submission;
    const hash = createHmac('sha256', this.#secret).update(`form-relay verify\0${formId}\0${text}`);
    return hash.digest('hex').slice(0, 32);
  }
}
