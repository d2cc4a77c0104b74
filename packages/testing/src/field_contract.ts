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
  /** Values that the field accepts, as a browser sends them. A list is several values sent at once. */
  readonly accepts: readonly Sent[];
  readonly rejects: readonly Sent[];
}

/** Markup as in a hostile config or from a hostile visitor. */
const markup = '"><script>alert(1)</script>';

/** Checks for every field type with one value. */
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
    check('accepts valid values', async (relay) => {
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
    check('rejects invalid values, with a message', async (relay) => {
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
    check('leaves a value unchanged that it has already normalized', async (relay) => {
      const form = await relay.form('contact');
      const field = form.fields.find(({ name }) => name === 'it');
      const read = (values: readonly string[]) => field?.normalize?.(new Map([['it', values]])) ?? values;
      for (const it of accepts) {
        const once = read([it].flat());
        const message = `${it} was normalized to ${once}, which normalizes to something else; normalizing twice must change nothing`;
        assert.deepEqual(read(once), once, message);
      }
    }),
    check(
      'has a control with its name, and a label for that control',
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
        // Several inputs of one name, such as radio buttons, have one label each and share a legend.
        const isGroup = /type="(radio|checkbox)"/.test(control) || html.includes('<legend');
        assert.ok(
          isGroup || html.includes(`for="${id}"`),
          'the `for` of the label must be the id of the control',
        );
      },
      { label: 'A label' },
    ),
    check('keeps the typed value when the form is shown again', async (relay) => {
      // A file, for example, has to be selected again.
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

/** The first tag of a control that has the field's name. */
const controlIn = (html: string) => /<(?:input|select|textarea)\b[^>]*\sname="it"[^>]*>/.exec(html)?.[0];

/** Removes the token and the time, which differ on each page. */
const withoutIds = (html: string) => html.replaceAll(/(?:value|content)="[\w.:-]{20,}"|\bnonce="[^"]*"/g, '');
