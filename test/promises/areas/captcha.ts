import { configSecret } from '../forms.ts';
import { type Area, promise } from '../promise.ts';
import type { Trial } from '../trial.ts';

const field = 'h-captcha-response';

/** Requests to the provider about the trial's tokens. */
const captchaCalls = (t: Trial) => t.tries().filter(({ path }) => path.startsWith('/captcha'));

export const captcha: Area = {
  from: 'SPEC: Submission rules 3',
  forms: ['guarded'],
  promises: {
    solved: promise`A token that the provider takes lets the submission through.`(async (t) =>
      t.arrives('guarded', { ...t.values, [field]: `good-${t.mark}` }),
    ),
    stripped: promise`The captcha’s token is delivered to nobody.`(async (t) => {
      const one = await t.arrives('guarded', { ...t.values, [field]: `good-${t.mark}` });
      t.lacks(one?.text, 'good-');
    }),
    failed: promise`A token that the provider refuses is answered with 400, and nothing is
      delivered.`(async (t) => {
      t.status(await t.submit('guarded', { ...t.values, [field]: `bad-${t.mark}` }), 400);
      await t.undelivered();
    }),
    missing: promise`A missing or empty token is answered with 400, and nothing is delivered.`(async (t) => {
      t.status(await t.submit('guarded', t.values), 400);
      t.status(await t.submit('guarded', { ...t.values, [field]: '' }), 400);
      await t.undelivered();
    }),
    queried: promise`The provider is asked with the secret and the token as it is: nothing in it adds a
      parameter. (SPEC: Captcha block; Attacks: parameter injection)`(async (t) => {
      const token = `bad-${t.mark}&secret=mine&x=%26`;
      await t.submit('guarded', { ...t.values, [field]: token });
      const question = captchaCalls(t)[0];
      const values = Object.fromEntries(question?.values ?? []);
      const secrets = question?.values.filter(([name]) => name === 'secret').map(([, value]) => value);
      const isRight = values.response === token && String(secrets) === configSecret;
      t.must(isRight, `response=${token} and one secret`, question?.body ?? 'it was not asked');
    }),
    no_verdict: promise`A provider that gives no verdict verifies nobody: 400, and nothing is delivered.
      (What owners fear: spam while the provider is down)`({ forms: ['unverified'] }, async (t) => {
      t.status(await t.submit('unverified', { ...t.values, [field]: `good-${t.mark}` }), 400);
      await t.undelivered();
    }),
    before_validation: promise`A failed captcha is told before a missing field.
      (SPEC: What the service does)`({ needs: ['validation'] }, async (t) =>
      t.status(await t.submit('guarded', { [field]: `bad-${t.mark}` }), 400),
    ),
  },
};
