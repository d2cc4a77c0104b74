import type { Area } from '../promise.ts';
import { pause } from '../trial.ts';

const rule5 = 'SPEC: Submission rules 5';

export const fanOut: Area = {
  from: 'SPEC: What the service does',
  promises: {
    every_output: {
      says: 'A submission goes to every output of its form, once to each.',
      forms: ['several'],
      check: async (t) => {
        t.taken(await t.submit('several', t.values));
        await t.delivered(3);
        const paths = t.posts().map(({ path }) => path);
        t.is(paths.sort(), '/take/first,/take/last');
        t.is(t.mails().length, 1);
      },
    },
    other_forms: {
      says: 'A submission goes to no output of another form.',
      forms: ['post'],
      check: async (t) => {
        await t.arrives('post', t.values);
        const path = t.posts()[0]?.path;
        t.is(path, '/take/post');
      },
    },
    failure_reported: {
      says: 'A failed output makes the answer 500, though others succeeded.',
      from: rule5,
      forms: ['first_fails', 'last_fails'],
      check: async (t) => {
        t.status(await t.submit('first_fails', t.values), 500);
        t.status(await t.submit('last_fails', t.values), 500);
      },
    },
    failure_first: {
      says: 'A failed output keeps those after it from nothing.',
      from: rule5,
      forms: ['first_fails'],
      check: async (t) => {
        await t.submit('first_fails', t.values);
        await t.delivered(1);
      },
    },
    not_rolled_back: {
      says: 'What one output has delivered stays delivered, once, when a later one fails.',
      forms: ['last_fails'],
      check: async (t) => {
        await t.submit('last_fails', t.values);
        await t.delivered(1);
      },
    },
    tolerated: {
      says: 'A failed output with `on_error: continue` is not told to the visitor, and others run.',
      from: rule5,
      forms: ['tolerant'],
      check: async (t) => {
        t.status(await t.submit('tolerant', t.values), 200);
        await t.delivered(1);
        const failed = t.tries().filter(({ path }) => path === '/fail-500').length;
        t.must(failed > 0, 'the failing output is tried', 'it was not');
      },
    },
    beset: {
      says: 'Outputs that are dead, hang, cut off, talk nonsense or never end keep the last one from nothing.',
      from: 'What owners fear: one failed output kills others',
      forms: ['beset'],
      check: async (t) => {
        t.status(await t.submit('beset', t.values), 200);
        const taken = () => t.posts().filter(({ path }) => path === '/take').length;
        for (let n = 0; n < 100 && taken() === 0; n += 1) await pause(20);
        t.is(taken(), 1);
      },
    },
    hanging: {
      says: 'A receiver that never answers is given up, and the visitor is told that it failed.',
      from: 'SPEC: Limits',
      forms: ['hanging'],
      check: async (t) => t.status(await t.submit('hanging', t.values), 500),
    },
    hanging_isolated: {
      says: 'While a receiver hangs, other forms are served without a wait.',
      from: 'What owners fear: one slow receiver stops all forms',
      forms: ['hanging', 'contact'],
      check: async (t) => {
        const hanging: Promise<unknown>[] = [];
        const tries = await t.within(1_500, async () => {
          for (let n = 0; n < 20; n += 1)
            hanging.push(t.submit('hanging', { ...t.values, name: 'hanging' }).catch(() => {}));
          t.taken(await t.submit('contact', t.values));
        });
        await t.delivered(tries);
        await Promise.all(hanging);
      },
    },
    unregistered: {
      says: 'An output type that nobody knows makes the answer 500, even with `on_error: continue`.',
      from: 'SPEC: Submission rules 6',
      forms: ['unregistered'],
      check: async (t) => t.status(await t.submit('unregistered', t.values), 500),
    },
    unregistered_skipped: {
      says: 'Beside an unknown output type, known ones are attempted.',
      from: 'SPEC: Form',
      forms: ['unregistered'],
      check: async (t) => {
        await t.submit('unregistered', t.values);
        await t.delivered(1);
      },
    },
    invalid_anyway: {
      says: 'An invalid submission is refused with 422 whatever `on_error` says, and no output is asked.',
      from: 'SPEC: Submission rules 4',
      needs: ['validation'],
      forms: ['tolerant'],
      check: async (t) => {
        t.status(await t.submit('tolerant', { message: t.mark }), 422);
        t.is(t.tries().length, 0);
      },
    },
  },
};
