import { lasting } from '../client.ts';
import { tagsIn } from '../markup.ts';
import { type Area, promise } from '../promise.ts';
import { pause, type Trial } from '../trial.ts';

const ok = '{"message":"ok"}';
/** `min_fill_seconds` of all forms except `patient`, plus a margin for two clocks. */
const waitMs = 1_050;

const tokenFor = async (t: Trial, form: string, field = '_ts') => t.token(await t.getToken(form), field);

/** A token that is old enough to submit. */
async function agedToken(t: Trial, form: string): Promise<string> {
  const token = await tokenFor(t, form);
  await pause(waitMs);
  return token;
}

/** Submits with each token: the product must answer with success, but deliver nothing. */
async function drops(t: Trial, form: string, ...tokens: readonly string[]) {
  for (const _ts of tokens) {
    const answer = await t.submit(form, { ...t.values, _ts });
    t.must(answer.status === 200 && answer.text === ok, `200 ${ok}`);
  }
  await t.undelivered();
}

export const minFill: Area = {
  from: 'SPEC: Submission rules 2',
  forms: ['timed'],
  promises: {
    in_time: promise`A submission that took its time is delivered.`(async (t) => {
      const _ts = await agedToken(t, 'timed');
      await t.arrives('timed', { ...t.values, _ts });
    }),
    too_fast: promise`A submission that came too fast is answered as a success, and not
      delivered.`({ forms: ['patient'] }, async (t) => drops(t, 'patient', await tokenFor(t, 'patient'))),
    missing: promise`A submission without a token is answered as a success, and not delivered.`(async (t) => {
      const answer = await t.submit('timed', t.values);
      t.must(answer.status === 200 && answer.text === ok, `200 ${ok}`);
      await t.undelivered();
    }),
    forged: promise`A forged token passes nothing: made up, cut, backdated, or with one character
      changed.`(async (t) => {
      const genuine = await agedToken(t, 'timed');
      const [first = '', ...others] = genuine.split('.');
      const changed = [0, Math.floor(genuine.length / 2), genuine.length - 1].map(
        (at) => genuine.slice(0, at) + (genuine[at] === 'A' ? 'B' : 'A') + genuine.slice(at + 1),
      );
      await drops(
        t,
        'timed',
        ...changed,
        ...[
          'x',
          '0',
          `${Date.now() - 60_000}`,
          'eyJhbGciOiJub25lIn0.eyJpYXQiOjF9.',
          genuine.slice(0, -1),
          `${genuine}A`,
        ],
        [(Number.parseInt(first, 36) - 60_000).toString(36), ...others].join('.'),
        others.join('.'),
      );
    }),
    of_another_form: promise`A token of another form is worth nothing.
      (SPEC: Spam block)`({ forms: ['timed', 'timed_too'] }, async (t) => {
      const _ts = await agedToken(t, 'timed_too');
      await drops(t, 'timed', _ts);
    }),
    alike: promise`A submission dropped for its speed is answered exactly as a delivered one.
      (What owners fear: bots that learn)`({ forms: ['timed', 'patient'] }, async (t) => {
      const tooFast = await tokenFor(t, 'patient');
      const dropped = lasting(await t.submit('patient', { ...t.values, _ts: tooFast }));
      const _ts = await agedToken(t, 'timed');
      const delivered = lasting(await t.submit('timed', { ...t.values, _ts }));
      t.is(dropped, delivered);
    }),
    stripped: promise`The min-fill token is delivered to nobody.`(async (t) => {
      const _ts = await agedToken(t, 'timed');
      const one = await t.arrives('timed', { ...t.values, _ts });
      t.lacks(one?.text, _ts);
    }),
    replayed: promise`A token holds for several submissions until it expires.
      (SPEC: Spam block)`(async (t) => {
      const _ts = await agedToken(t, 'timed');
      for (let n = 0; n < 3; n += 1) t.taken(await t.submit('timed', { ...t.values, _ts }));
      await t.delivered(3);
    }),
    expired: promise`A token older than form_ttl is answered with 422 and "form expired, please
      reload".`({ forms: ['brief'] }, async (t) => {
      const stamp = await tokenFor(t, 'brief', 'stamp');
      await pause(2_100);
      const answer = await t.submit('brief', { ...t.values, stamp });
      const wanted = '{"error":"form expired, please reload"}';
      t.must(answer.status === 422 && answer.text === wanted, `422 ${wanted}`);
      await t.undelivered();
    }),
    no_secret: promise`Without a secret nothing is delivered: submit, form and token answer 500.
      (SPEC: Errors)`({ setting: 'strict' }, async (t) => {
      t.status(await t.submit('timed', t.values), 500);
      if (t.offers('form_html')) t.status(await t.getForm('timed'), 500);
      t.status(await t.getToken('timed'), 500);
      await t.undelivered();
    }),
    no_secret_others: promise`Without a secret, forms that need none are served.
      (SPEC: Errors)`({ forms: [], needs: ['min_fill'], setting: 'strict' }, async (t) =>
      t.arrives('contact', t.values),
    ),
    fragment: promise`GET …/token/{form} returns a hidden input in text/html and nothing else, named by
      token_field. (SPEC: GET /api/v1/token/{form})`({ forms: ['timed', 'brief'] }, async (t) => {
      for (const [form, name] of [
        ['timed', '_ts'],
        ['brief', 'stamp'],
      ] as const) {
        const { headers, text } = await t.getToken(form);
        t.matches(headers['content-type'], /^text\/html\b/);
        const [input, ...others] = tagsIn(text);
        const isRight =
          input?.tag === 'input' && input.attributes.type === 'hidden' && input.attributes.name === name;
        t.must(
          isRight && others.length === 0 && /^\s*<[^<]*>\s*$/.test(text),
          `<input type="hidden" name="${name}" …>`,
        );
      }
    }),
    fresh: promise`A token counts from when it was fetched: a later one is another one.
      (SPEC: GET /api/v1/token/{form})`(async (t) => {
      const first = await tokenFor(t, 'timed');
      await pause(1_100);
      const second = await tokenFor(t, 'timed');
      t.must(first !== second, 'another token', second);
    }),
  },
};
