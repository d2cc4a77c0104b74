import { type Area, promise } from '../promise.ts';
import { pause } from '../trial.ts';

const rule5 = 'SPEC: Submission rules 5';

export const fanOut: Area = {
  from: 'SPEC: What the service does',
  promises: {
    every_output: promise`A submission goes to every output of its form, once to
      each.`({ forms: ['several'] }, async (t) => {
      t.taken(await t.submit('several', t.values));
      await t.delivered(3);
      const paths = t.posts().map(({ path }) => path);
      t.is(paths.sort(), '/take/first,/take/last');
      t.is(t.mails().length, 1);
    }),
    other_forms: promise`A submission goes to no output of another form.`({ forms: ['post'] }, async (t) => {
      await t.arrives('post', t.values);
      const path = t.posts()[0]?.path;
      t.is(path, '/take/post');
    }),
    failure_reported: promise`A failed output makes the answer 500, though others succeeded.
      (${rule5})`({ forms: ['first_fails', 'last_fails'] }, async (t) => {
      t.status(await t.submit('first_fails', t.values), 500);
      t.status(await t.submit('last_fails', t.values), 500);
    }),
    failure_first: promise`A failed output keeps those after it from nothing.
      (${rule5})`({ forms: ['first_fails'] }, async (t) => {
      await t.submit('first_fails', t.values);
      await t.delivered(1);
    }),
    not_rolled_back: promise`What one output has delivered stays delivered, once, when a later one
      fails.`({ forms: ['last_fails'] }, async (t) => {
      await t.submit('last_fails', t.values);
      await t.delivered(1);
    }),
    tolerated: promise`A failed output with \`on_error: continue\` is not told to the visitor, and others run.
      (${rule5})`({ forms: ['tolerant'] }, async (t) => {
      t.status(await t.submit('tolerant', t.values), 200);
      await t.delivered(1);
      const failed = t.tries().filter(({ path }) => path === '/fail-500').length;
      t.must(failed > 0, 'the failing output is tried', 'it was not');
    }),
    beset: promise`Outputs that are dead, hang, cut off, talk nonsense or never end keep the last one from
      nothing. (What owners fear: one failed output kills others)`({ forms: ['beset'] }, async (t) => {
      t.status(await t.submit('beset', t.values), 200);
      const taken = () => t.posts().filter(({ path }) => path === '/take').length;
      for (let n = 0; n < 100 && taken() === 0; n += 1) await pause(20);
      t.is(taken(), 1);
    }),
    hanging: promise`A receiver that never answers is given up, and the visitor is told that it failed.
      (SPEC: Limits)`({ forms: ['hanging'] }, async (t) =>
      t.status(await t.submit('hanging', t.values), 500),
    ),
    hanging_isolated: promise`While a receiver hangs, other forms are served without a wait.
      (What owners fear: one slow receiver stops all forms)`({ forms: ['hanging', 'contact'] }, async (t) => {
      const hanging: Promise<unknown>[] = [];
      const tries = await t.within(1_500, async () => {
        for (let n = 0; n < 20; n += 1)
          hanging.push(t.submit('hanging', { ...t.values, name: 'hanging' }).catch(() => {}));
        t.taken(await t.submit('contact', t.values));
      });
      await t.delivered(tries);
      await Promise.all(hanging);
    }),
    unregistered: promise`An output type that nobody knows makes the answer 500, even with \`on_error:
      continue\`. (SPEC: Submission rules 6)`({ forms: ['unregistered'] }, async (t) =>
      t.status(await t.submit('unregistered', t.values), 500),
    ),
    unregistered_skipped: promise`Beside an unknown output type, known ones are attempted.
      (SPEC: Form)`({ forms: ['unregistered'] }, async (t) => {
      await t.submit('unregistered', t.values);
      await t.delivered(1);
    }),
    invalid_anyway: promise`An invalid submission is refused with 422 whatever \`on_error\` says, and no
      output is asked.
      (SPEC: Submission rules 4)`({ needs: ['validation'], forms: ['tolerant'] }, async (t) => {
      t.status(await t.submit('tolerant', { message: t.mark }), 422);
      t.is(t.tries().length, 0);
    }),
  },
};
