/** The config loads, whatever is clicked and typed in the builder. */
import { readFileSync } from 'node:fs';
import { ChangeSet, Text } from '@codemirror/state';
import { templates } from '@form-relay/starters/templates';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { err } from '../../../../packages/base/src/result.ts';
import { isFuzzing, runs } from '../../../../test/support/fuzz.ts';
import { parseWithFiles } from '../../../../test/support/parse_config.ts';
import type { Change } from '../../edit/index.ts';
import { type FakeNode, usePage } from './dom.ts';
import { stage } from './stage.ts';

const env = {
  SMTP_USERNAME: 'website',
  SMTP_PASSWORD: 'swordfish',
  FORM_TOKEN_SECRET: 'not so secret, but long enough',
  LIST_TOKEN: 'token',
  PUBLIC_URL: 'https://forms.example.com',
};

const examples = ['contact-form', 'smtp-mail', 'spam-protection', 'studio'].map((name) =>
  readFileSync(`examples/${name}/webform.yaml`, 'utf8'),
);
const configs = [...templates.map(({ config }) => config), ...examples];

const typed = [
  ...['', ' ', 'two\nlines', 'x'.repeat(300), 'it\'s "so"', 'a: b', '{{ .fields.name }}', '{{ .fields.'],
  ...'a|New words|email|name|{{|[a-|^a+$|(|0|-1|3|2.5|1e99|007|true|null|5 per 10m|10m|3 days'.split('|'),
  ...'2026-01-31|12:00|ada@example.org|ada@|https://example.org/|http://|/thanks|- a|é 日本 🎈'.split('|'),
  ...'*|&a|#|__proto__|constructor|DE|de|a, b|a.b|0x1F'.split('|'),
];

const words = (node: FakeNode) =>
  `${node.localName} "${node.getAttribute('aria-label') ?? node.textContent.slice(0, 60)}" ${node.getAttribute('id') ?? ''}`;

const isUsable = (node: FakeNode) =>
  /^(?:button|select|input|textarea|details)$/.test(node.localName) &&
  node.disabled !== true &&
  node.getAttribute('aria-disabled') === null;

/** Does to a control what a person could do; `pick` chooses. */
function doTo(node: FakeNode, pick: number): string {
  const isBox = node.type === 'checkbox' || node.getAttribute('type') === 'checkbox';
  if (node.localName === 'button') node.fire('click');
  else if (node.localName === 'details') {
    node.open = node.open !== true;
    node.fire('toggle');
  } else if (isBox) {
    node.checked = node.checked !== true;
    node.fire('change');
  } else if (node.localName === 'select') {
    const options = node.all.filter(({ localName }) => localName === 'option');
    const option = options[pick % options.length];
    if (!option) return 'nothing';
    node.value = option.value;
    node.selectedOptions = [{ text: option.textContent }];
    node.fire('change');
    return `${words(node)} to ${option.value}`;
  } else {
    node.value = typed[pick % typed.length];
    node.fire('input');
    if (pick % 3 === 0) node.fire('keydown', { key: 'Enter' });
    node.fire('blur');
    return `${words(node)}: ${node.value}`;
  }
  return words(node);
}

test('any acts in the builder leave a config that loads', async () => {
  const body = usePage();
  const at = await stage({ config: templates[0]?.config ?? '', env });
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body = '' } = {}) => {
    const headers = { origin: at.origin };
    const answer = await at.request(path, { method, headers, body: String(body) });
    return new Response(answer.text || null, { status: answer.status });
  });
  // Not read by the compiler, for which this is Node.
  // biome-ignore lint/suspicious/noExplicitAny: modules of the page have types of the browser.
  const load = async (path: string): Promise<Record<string, any>> => import(path);
  const app = (path: string) => load(`../../app/${path}`);
  const { h, render } = await load('preact');
  const { Builder } = await app('build/builder.tsx');
  const { config, notice, selected, state, text } = await app('store.ts');
  const pending = await app('pending.ts');
  const { loadSchema } = await app('relay.ts');
  const { loadPalette } = await app('build/fields/picture.tsx');
  const { loadGallery } = await app('build/outputs/gallery.tsx');
  await Promise.all([loadSchema(), loadPalette(), loadGallery()]);
  const history: ChangeSet[] = [];
  const put = (set: ChangeSet) => {
    const before = Text.of(text.value.split('\n'));
    pending.setText(set.apply(before).toString(), set);
    return set.invert(before);
  };
  pending.useHistory({
    apply: (changes: readonly Change[]) =>
      history.push(put(ChangeSet.of(changes as Change[], text.value.length))),
    undo: () => {
      const back = history.pop();
      if (back) put(back);
    },
    redo: () => {},
    depth: () => history.length,
  });
  const rest = () => new Promise((resolve) => setTimeout(resolve, 2));
  const waiting = new Map<string, number>();
  let count = 0;
  const walk = async (nth: number, picks: readonly (readonly [number, number])[]) => {
    const given = configs[nth] ?? '';
    render(null, body);
    pending.drop();
    text.value = given;
    history.length = 0;
    selected.value = undefined;
    notice.value = '';
    state.value = { form: undefined, problems: [], file: {} };
    render(h(Builder, null), body);
    await rest();
    const done: string[] = [];
    for (const [control, pick] of picks) {
      const controls = body.all.filter(isUsable);
      const node = controls[control % controls.length];
      if (!node) continue;
      const [before, was] = [text.value, pending.pending.value];
      done.push(doTo(node, pick));
      count += 1;
      await pending.decided();
      await rest();
      if (!was && pending.pending.value) {
        const kind = `${String(done.at(-1)).replaceAll(/\d+/g, 'N')} → ${pending.pending.value[0]?.message}`;
        waiting.set(kind, (waiting.get(kind) ?? 0) + 1);
      }
      if (text.value === before) continue;
      const parsed = await parseWithFiles(text.value, 'webform.yaml', async () =>
        err('no file is beside it'),
      );
      const why = parsed.ok ? [] : parsed.error.map(({ path, message }) => `${path} ${message}`);
      expect(why, `${done.join('\n')}\n${text.value}`).toEqual([]);
      expect(config.value.value).toBeDefined();
    }
    // And back.
    for (let steps = 0; steps < 500 && (text.value !== given || pending.built.value !== given); steps += 1)
      await pending.undo();
    expect(pending.built.value, done.join('\n')).toBe(given);
  };
  const pick = fc.tuple(fc.nat(), fc.nat());
  await fc.assert(
    fc.asyncProperty(fc.nat(configs.length - 1), fc.array(pick, { minLength: 20, maxLength: 20 }), walk),
    { ...runs(2), endOnFailure: true },
  );
  render(null, body);
  // Effects that were begun.
  await new Promise((resolve) => setTimeout(resolve, 100));
  if (isFuzzing) console.log(`${count} acts; pending after`, Object.fromEntries(waiting));
}, 3_600_000);
