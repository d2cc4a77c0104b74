import { controlIn, tagsIn, unescaped } from '../markup.ts';
import type { Area } from '../promise.ts';
import { pause, type Trial } from '../trial.ts';
import { lasting } from './same_answer.ts';

const htmx = { 'HX-Request': 'true' };

const confirmation = (words: string) =>
  new RegExp(`<div class="form-confirmation"[^>]*>\\s*${words}\\s*</div>`);

/** The fragment of a submission without its required name. */
const corrected = (t: Trial, form = 'contact', values: Readonly<Record<string, string>> = {}) =>
  t.submit(form, { email: 'no address', message: `${t.mark} kept`, ...values }, htmx);

export const fragments: Area = {
  id: 'fragments',
  name: 'Answers for htmx',
  from: 'SPEC: HTML fragments for requests carrying HX-Request',
  promises: {
    success: {
      says: 'Success is a <div class="form-confirmation"> in text/html that says “Thank you.”.',
      needs: ['fragments'],
      check: async (t) => {
        const answer = await t.submit('contact', t.values, htmx);
        t.status(answer, 200);
        t.must(/^text\/html\b/.test(answer.headers['content-type'] ?? ''), 'text/html');
        t.must(
          confirmation('Thank you\\.').test(answer.text),
          '<div class="form-confirmation">Thank you.</div>',
        );
      },
    },
    own_words: {
      says: 'A form’s own confirmation stands in it, escaped.',
      forms: ['worded'],
      check: async (t) => {
        const { text } = await t.submit('worded', t.values, htmx);
        const isThere = unescaped(text).includes('Merci & <b>à bientôt</b>') && !text.includes('<b>');
        t.must(isThere, 'Merci &amp; &lt;b&gt;à bientôt&lt;/b&gt;');
      },
    },
    dropped: {
      says: 'A dropped submission gets the identical fragment.',
      needs: ['fragments'],
      forms: ['trapped'],
      check: async (t) => {
        const delivered = lasting(await t.submit('trapped', t.values, htmx));
        const dropped = lasting(await t.submit('trapped', { ...t.values, website: 'x' }, htmx));
        t.must(delivered === dropped, delivered, dropped);
      },
    },
    refilled: {
      says: 'A refused form is shown again with 422, and everything that was typed stands in it.',
      needs: ['fragments', 'validation'],
      check: async (t) => {
        const answer = await corrected(t);
        t.status(answer, 422);
        const values = ['email', 'message'].map((name) => controlIn(answer.text, name)?.value);
        t.must(String(values) === `no address,${t.mark} kept`, 'the typed values', String(values));
      },
    },
    marked: {
      says: 'Each failing field, and no other, is aria-invalid and described by its <p class="field-error">.',
      needs: ['fragments', 'validation'],
      check: async (t) => {
        const answer = await corrected(t);
        const wrong = [...t.wrongFields(answer)].sort();
        t.must(String(wrong) === 'email,name', 'name and email', String(wrong));
        const tags = tagsIn(answer.text);
        for (const name of wrong) {
          const ids =
            tags.find(({ attributes }) => attributes.name === name)?.attributes['aria-describedby'] ?? '';
          const isDescribed = tags.some(
            ({ tag, attributes: { id, class: classes } }) =>
              tag === 'p' && /\bfield-error\b/.test(classes ?? '') && ids.split(' ').includes(id ?? ''),
          );
          t.must(
            isDescribed,
            `a <p class="field-error"> that describes ${name}`,
            ids || 'no aria-describedby',
          );
        }
      },
    },
    escaped: {
      says: 'Typed markup is text when the form is shown again.',
      from: 'Attacks: script injection',
      needs: ['fragments', 'validation'],
      check: async (t) => {
        const attack = `"><script>alert("${t.mark}")</script></textarea><img src=x onerror=alert(1)>`;
        const { text } = await corrected(t, 'contact', { email: attack, message: attack });
        t.must(!/<script>alert|<img/i.test(text), 'no element of the visitor’s');
        const values = ['email', 'message'].map((name) => controlIn(text, name)?.value);
        t.must(
          values.every((value) => value === attack),
          attack,
          String(values),
        );
      },
    },
    fresh_token: {
      says: 'A refused form brings a fresh token, and its correction is delivered.',
      needs: ['fragments', 'validation'],
      forms: ['timed'],
      check: async (t) => {
        const _ts = t.token(await t.getToken('timed'));
        await pause(1_100);
        const next = t.token(await corrected(t, 'timed', { _ts }));
        t.must(next !== _ts, 'another token', 'the same');
        // The waiting is done, or it is done once more.
        await pause(1_100);
        await t.arrives('timed', { ...t.values, _ts: next });
      },
    },
    expired: {
      says: 'An expired form is told in <ul class="form-errors"> with 422.',
      needs: ['fragments'],
      forms: ['brief'],
      check: async (t) => {
        const stamp = t.token(await t.getToken('brief'), 'stamp');
        await pause(2_100);
        const answer = await t.submit('brief', { ...t.values, stamp }, htmx);
        t.status(answer, 422);
        t.must(
          /<ul class="form-errors"[^>]*>\s*<li>\s*\S/.test(answer.text),
          '<ul class="form-errors"><li>…',
        );
      },
    },
    other_errors: {
      says: 'Any other error is a <ul class="form-errors"> with the status as ever.',
      needs: ['fragments'],
      reach: 'anyone',
      check: async (t) => {
        const answer = await t.submit('conformance-no-such-form', {}, htmx);
        t.status(answer, 404);
        t.must(
          /<ul class="form-errors"[^>]*>\s*<li>\s*\S/.test(answer.text),
          '<ul class="form-errors"><li>…',
        );
      },
    },
    only_for_htmx: {
      says: 'Without HX-Request, or when it is not true, answers stay JSON.',
      needs: ['fragments'],
      reach: 'anyone',
      check: async (t) => {
        for (const headers of [{}, { 'HX-Request': 'false' }] as Readonly<Record<string, string>>[]) {
          const { headers: came } = await t.submit('conformance-no-such-form', {}, headers);
          t.must(
            /^application\/json\b/.test(came['content-type'] ?? ''),
            'application/json',
            came['content-type'] ?? '',
          );
        }
      },
    },
  },
};
