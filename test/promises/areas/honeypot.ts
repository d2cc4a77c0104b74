import { lasting } from '../client.ts';
import { type Area, promise } from '../promise.ts';

export const honeypot: Area = {
  from: 'SPEC: Submission rules 1',
  forms: ['trapped'],
  promises: {
    silent: promise`A filled honeypot is answered with 200 and {"message":"ok"}.`(async (t) => {
      const answer = await t.submit('trapped', { ...t.values, website: 'x' });
      t.must(answer.status === 200 && answer.text === '{"message":"ok"}', '200 {"message":"ok"}');
    }),
    dropped: promise`A filled honeypot keeps a submission from being delivered, whatever it was filled
      with.`(async (t) => {
      for (const website of ['https://spam.test', ' ', '0'])
        await t.submit('trapped', { ...t.values, website });
      await t.submit('trapped', [...Object.entries(t.values), ['website', ''], ['website', 'x']]);
      await t.undelivered();
    }),
    alike: promise`A dropped submission is answered exactly as a delivered one: a bot cannot tell.
      (What owners fear: bots that learn)`(async (t) => {
      const delivered = lasting(await t.submit('trapped', t.values));
      t.is(lasting(await t.submit('trapped', { ...t.values, website: 'x' })), delivered);
    }),
    empty: promise`An empty honeypot stops nobody, and nor does a missing one.`(async (t) => {
      t.taken(await t.submit('trapped', { ...t.values, website: '' }));
      t.taken(await t.submit('trapped', t.values));
      await t.delivered(2);
    }),
    stripped: promise`The honeypot is delivered to nobody.`(async (t) => {
      const one = await t.arrives('trapped', { ...t.values, website: '' });
      t.lacks(one?.text, 'website');
    }),
    before_validation: promise`A filled honeypot is looked at before fields: bots learn no
      rules.`({ needs: ['validation'] }, async (t) =>
      t.status(await t.submit('trapped', { website: 'x', email: 'no address' }), 200),
    ),
    elsewhere: promise`The name of one form’s honeypot means nothing in another form.
      (What owners fear: a real lead dropped)`(async (t) =>
      t.arrives('contact', { ...t.values, website: 'https://ann.test' }),
    ),
  },
};
