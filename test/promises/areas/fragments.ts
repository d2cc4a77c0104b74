import { lasting } from '../client.ts';
import { controlIn, invalidFieldsIn, tagsIn, textIn } from '../markup.ts';
import { type Area, promise } from '../promise.ts';
import { pause, type Trial } from '../trial.ts';

const htmx = { 'HX-Request': 'true' };

/** The fragment after a submission without its required name. */
const corrected = (t: Trial, form = 'contact', values: Readonly<Record<string, string>> = {}) =>
  t.submit(form, { email: 'no address', message: `${t.mark} kept`, ...values }, htmx);

export const fragments: Area = {
  from: 'SPEC: HTML fragments for requests carrying HX-Request',
  needs: ['fragments'],
  promises: {
    success: promise`Success is a <div class="form-confirmation"> in text/html that says “Thank
      you.”.`(async (t) => {
      const answer = await t.submit('contact', t.values, htmx);
      t.status(answer, 200);
      t.matches(answer.headers['content-type'], /^text\/html\b/);
      t.matches(answer.text, /<div class="form-confirmation"[^>]*>\s*Thank you\.\s*<\/div>/);
    }),
    own_words: promise`A form’s own confirmation stands in it,
      escaped.`({ needs: [], forms: ['worded'] }, async (t) => {
      const { text } = await t.submit('worded', t.values, htmx);
      t.has(textIn(text), 'Merci & <b>à bientôt</b>');
    }),
    dropped: promise`A dropped submission gets the identical fragment.`({ forms: ['trapped'] }, async (t) => {
      const delivered = lasting(await t.submit('trapped', t.values, htmx));
      t.is(lasting(await t.submit('trapped', { ...t.values, website: 'x' }, htmx)), delivered);
    }),
    refilled: promise`A refused form is shown again with 422, and everything that was typed stands in
      it.`({ needs: ['fragments', 'validation'] }, async (t) => {
      const answer = await corrected(t);
      t.status(answer, 422);
      const values = ['email', 'message'].map((name) => controlIn(answer.text, name)?.value);
      t.is(values, `no address,${t.mark} kept`);
    }),
    marked: promise`Each failing field, and no other, is aria-invalid and described by its <p
      class="field-error">.`({ needs: ['fragments', 'validation'] }, async (t) => {
      const answer = await corrected(t);
      const wrong = [...invalidFieldsIn(answer.text)].sort();
      t.is(wrong, 'email,name');
      const tags = tagsIn(answer.text);
      for (const name of wrong) {
        const ids =
          tags.find(({ attributes }) => attributes.name === name)?.attributes['aria-describedby'] ?? '';
        const isDescribed = tags.some(
          ({ tag, attributes: { id, class: classes } }) =>
            tag === 'p' && /\bfield-error\b/.test(classes ?? '') && ids.split(' ').includes(id ?? ''),
        );
        t.must(isDescribed, `a <p class="field-error"> that describes ${name}`, ids);
      }
    }),
    escaped: promise`Typed markup is text when the form is shown again.
      (Attacks: script injection)`({ needs: ['fragments', 'validation'] }, async (t) => {
      const attack = `"><script>alert("${t.mark}")</script></textarea><img src=x onerror=alert(1)>`;
      const { text } = await corrected(t, 'contact', { email: attack, message: attack });
      t.must(!/<script>alert|<img/i.test(text), 'no element of the visitor’s');
      const values = ['email', 'message'].map((name) => controlIn(text, name)?.value);
      t.is(values, [attack, attack]);
    }),
    fresh_token: promise`A refused form brings a fresh token, and its correction is
      delivered.`({ needs: ['fragments', 'validation'], forms: ['timed'] }, async (t) => {
      const _ts = t.token(await t.getToken('timed'));
      await pause(1_100);
      const next = t.token(await corrected(t, 'timed', { _ts }));
      t.must(next !== _ts, 'another token', 'the same');
      // The wait is over, or has to be repeated once.
      await pause(1_100);
      await t.arrives('timed', { ...t.values, _ts: next });
    }),
    expired: promise`An expired form is told in <ul class="form-errors"> with
      422.`({ forms: ['brief'] }, async (t) => {
      const stamp = t.token(await t.getToken('brief'), 'stamp');
      await pause(2_100);
      const answer = await t.submit('brief', { ...t.values, stamp }, htmx);
      t.status(answer, 422);
      t.matches(answer.text, /<ul class="form-errors"[^>]*>\s*<li>\s*\S/);
    }),
    other_errors: promise`Any other error is a <ul class="form-errors"> with the status as
      ever.`(async (t) => {
      const answer = await t.submit('promises-no-such-form', {}, htmx);
      t.status(answer, 404);
      t.matches(answer.text, /<ul class="form-errors"[^>]*>\s*<li>\s*\S/);
    }),
    only_for_htmx: promise`Without HX-Request, or when it is not true, answers stay JSON.`(async (t) => {
      for (const headers of [{}, { 'HX-Request': 'false' }] as Readonly<Record<string, string>>[]) {
        const { headers: came } = await t.submit('promises-no-such-form', {}, headers);
        t.matches(came['content-type'], /^application\/json\b/);
      }
    }),
  },
};
