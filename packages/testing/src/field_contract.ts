import assert from 'node:assert/strict';
import {
  assertWorded,
  bodyOf,
  type Check,
  faultIn,
  type Tested,
  type TriedRelay,
  withRelay,
} from './try_relay.ts';

type Sent = string | readonly string[];

export interface FieldContract extends Tested {
  readonly type: string;
  /** The field's keys besides `name` and `type`. */
  readonly keys?: Readonly<Record<string, unknown>>;
  /** Values that the field accepts, as a browser sends them; a list for several at once. */
  readonly accepts: readonly Sent[];
  readonly rejects: readonly Sent[];
}

/** As a hostile config and a hostile visitor would write it. */
const markup = '"><script>alert(1)</script>';

/** The promises of every type of field with one value. */
export function fieldContract(contract: FieldContract): readonly Check[] {
  const { type, keys = {}, accepts, rejects, plugin, env = {} } = contract;
  const check = (promise: string, work: (relay: TriedRelay) => Promise<void>, more: object = {}): Check => ({
    name: `${type} ${promise}`,
    run: () => {
      const fields = [
        { name: 'it', type, ...keys, ...more },
        { name: 'other', required: true, label: 'Other' },
      ];
      return withRelay({ forms: { contact: { fields } }, plugins: plugin ? [plugin] : [], env }, work);
    },
  });
  return [
    check('accepts what it should', async (relay) => {
      for (const it of accepts) {
        const { status, text } = await relay.submit('contact', { it, other: 'x' });
        assert.equal(status, 200, `${it}: ${faultIn(relay) ?? text}`);
      }
      assert.equal(relay.delivered.length, accepts.length);
      const form = await relay.form('contact');
      const locale = form.locale(undefined);
      for (const { it = [] } of relay.delivered)
        assert.ok(form.fields[0]?.words(it, locale), 'the value has no words for people');
    }),
    check('rejects what it should, in words', async (relay) => {
      for (const it of rejects) {
        const { status, text } = await relay.submit('contact', { it, other: 'x' });
        assert.equal(status, 422, `${it}: ${faultIn(relay) ?? text}`);
        assertWorded(relay);
      }
      assert.equal(relay.delivered.length, 0);
    }),
    check('may be empty', async ({ submit }) => {
      assert.equal((await submit('contact', { it: '', other: 'x' })).status, 200);
      assert.equal((await submit('contact', { other: 'x' })).status, 200);
    }),
    check(
      'must be filled in if it is required',
      async ({ submit }) => {
        assert.equal((await submit('contact', { it: '', other: 'x' })).status, 422);
      },
      { required: true },
    ),
    check('reads a value that it has read as the same value', async (relay) => {
      const form = await relay.form('contact');
      const field = form.fields.find(({ name }) => name === 'it');
      const read = (values: readonly string[]) => field?.normalize?.(new Map([['it', values]])) ?? values;
      for (const it of accepts) {
        const once = read([it].flat());
        assert.deepEqual(read(once), once, `${it} was read as ${once}, and that as something else`);
      }
    }),
    check(
      'has a control with its name, which its label is for',
      async (relay) => {
        const html = await (await relay.fetch('/api/v1/form/contact')).text();
        assert.match(html, /A label/);
        const { derive } = (await relay.form('contact')).fields[0] ?? {};
        const control = derive ? /<output\b[^>]*>/.exec(html)?.[0] : controlIn(html);
        assert.ok(
          control,
          derive ? 'no output shows the result' : 'no input, select or textarea has the name "it"',
        );
        assert.match(control, /\sid="[^"]+"/, 'the control needs an id');
        const [, id] = /\sid="([^"]+)"/.exec(control) ?? [];
        // Several inputs of one name, such as radios, are labelled one by one and share a legend.
        const isGroup = /type="(radio|checkbox)"/.test(control) || html.includes('<legend');
        assert.ok(isGroup || html.includes(`for="${id}"`), 'the label must be for the id of the control');
      },
      { label: 'A label' },
    ),
    check('keeps what was typed when the form is shown again', async (relay) => {
      // A file, for example, must be chosen again.
      if ((await relay.form('contact')).fields[0]?.isReentered) return;
      const shown = async (it: Sent) => {
        const body = bodyOf({ it });
        const headers = { 'hx-request': 'true' };
        const answer = await relay.fetch('/api/v1/submit/contact', { method: 'POST', body, headers });
        assert.equal(answer.status, 422);
        return withoutIds(await answer.text());
      };
      const empty = await shown('');
      for (const it of accepts) assert.notEqual(await shown(it), empty, `${it} is lost`);
    }),
    check(
      'takes no markup from a label or a visitor',
      async (relay) => {
        const html = await (await relay.fetch('/api/v1/form/contact')).text();
        assert.ok(!html.includes('<script>alert'));
        for (const htmx of ['true', 'false']) {
          const headers = { 'hx-request': htmx };
          const body = new URLSearchParams({ it: markup });
          const answer = await relay.fetch('/api/v1/submit/contact', { method: 'POST', body, headers });
          assert.ok(!(await answer.text()).includes('<script>alert'));
        }
      },
      { label: markup, help: markup },
    ),
  ];
}

/** The first tag of a control with the name of the field. */
const controlIn = (html: string) => /<(?:input|select|textarea)\b[^>]*\sname="it"[^>]*>/.exec(html)?.[0];

/** Each page has its own token and time. */
const withoutIds = (html: string) => html.replaceAll(/(?:value|content)="[\w.:-]{20,}"|\bnonce="[^"]*"/g, '');
