/** The config loads, whatever a person clicks and types in the builder. */
import { readFileSync } from 'node:fs';
import { ChangeSet, Text } from '@codemirror/state';
import { templates } from '@form-relay/starters/templates';
import fc from 'fast-check';
import { err } from '../../../../packages/base/src/result.ts';
import { holds, isFuzzing, runs } from '../../../../test/support/fuzz.ts';
import { parseWithFiles } from '../../../../test/support/parse_config.ts';
import type { Change } from '../../edit/model.ts';
import { type FakeNode, usePage } from './dom.ts';
import { env, stage } from './stage.ts';

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

const words = (node: FakeNode): string => {
  const id = node.getAttribute('id');
  let root = node;
  while (root.parentNode) root = root.parentNode;
  const label = id === null ? undefined : root.all.find((one) => one.getAttribute('for') === id);
  const name = node.getAttribute('aria-label') ?? (label ?? node).textContent;
  return `${node.localName} "${name.slice(0, 60)}"`;
};

const isUsable = (node: FakeNode) =>
  /^(?:button|select|input|textarea|details)$/.test(node.localName) &&
  node.disabled !== true &&
  node.getAttribute('aria-disabled') === null;

/** Uses a control as a person could; `pick` selects the action. */
function doTo(node: FakeNode, pick: number): string {
  const isBox = node.type === 'checkbox' || node.getAttribute('type') === 'checkbox';
  const named = words(node);
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
    return `${named} to ${option.value}`;
  } else {
    node.value = typed[pick % typed.length];
    node.fire('input');
    if (pick % 3 === 0) node.fire('keydown', { key: 'Enter' });
    node.fire('blur');
    return `${named}: ${node.value}`;
  }
  return named;
}

test('any actions in the builder leave a config that loads', async () => {
  const body = usePage();
  const at = await stage({ config: templates[0]?.config ?? '', env });
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body = '' } = {}) => {
    const headers = { origin: at.origin };
    const answer = await at.request(path, { method, headers, body: String(body) });
    return new Response(answer.text || null, { status: answer.status });
  });
  // Imported dynamically, because the compiler checks this folder for Node.
  // biome-ignore lint/suspicious/noExplicitAny: modules of the page have types of the browser.
  const load = async (path: string): Promise<Record<string, any>> => import(path);
  const app = (path: string) => load(`../../app/${path}`);
  const { h, options, render } = await load('preact');
  options.requestAnimationFrame = setImmediate;
  const { Builder } = await app('build/builder.tsx');
  const { config, notice, selected, state, text } = await app('store.ts');
  const pending = await app('pending.ts');
  const { loadSchema } = await app('schema_nodes.ts');
  const { loadPalette } = await app('build/fields/palette.tsx');
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
  // Waits until rendering and effects are done.
  const rest = async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const loaded = new Set<string>();
  const waiting = new Map<string, number>();
  const failures: string[] = [];
  let count = 0;
  const fail = (why: string) => {
    failures.push(why);
    console.log(why);
  };
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
      const dialog = body.all.findLast(({ localName, open }) => localName === 'dialog' && open === true);
      const controls = (dialog ?? body).all.filter(isUsable);
      const node = controls[control % controls.length];
      if (!node) continue;
      const [before, was] = [text.value, pending.pending.value];
      done.push(doTo(node, pick));
      count += 1;
      if (isFuzzing && count % 1000 === 0) console.log(`${count} acts, ${failures.length} failures`);
      await pending.decided();
      await rest();
      if (!was && pending.pending.value) {
        const { message } = pending.pending.value[0] ?? {};
        const isTyped = /^(?:input|textarea) .*: /.test(String(done.at(-1)));
        const kind = isTyped ? 'half-typed text' : `${done.at(-1)} → ${message}`.replaceAll(/\d+/g, 'N');
        waiting.set(kind, (waiting.get(kind) ?? 0) + 1);
      }
      if (text.value === before || loaded.has(text.value)) continue;
      const parsed = await parseWithFiles(text.value, 'webform.yaml', async () =>
        err('no file is beside it'),
      );
      const why = parsed.ok ? [] : parsed.error.map(({ path, message }) => `${path} ${message}`);
      if (config.value.value === undefined) why.push('the builder does not show it');
      loaded.add(text.value);
      if (why.length > 0) return fail(`${why.join('\n')}\nafter\n${done.join('\n')}\nin\n${text.value}`);
    }
    // Undoes everything.
    for (let steps = 0; steps < 500 && (text.value !== given || pending.built.value !== given); steps += 1)
      await pending.undo();
    if (pending.built.value !== given)
      fail(`undo does not lead back after\n${done.join('\n')}\nto\n${given}\nbut to\n${pending.built.value}`);
  };
  const pick = fc.tuple(fc.nat(), fc.nat());
  await holds(
    { ...runs(2), endOnFailure: true },
    [fc.nat(configs.length - 1), fc.array(pick, { minLength: 20, maxLength: 20 })],
    walk,
  );
  render(null, body);
  // Lets pending effects finish.
  await new Promise((resolve) => setTimeout(resolve, 100));
  delete options.requestAnimationFrame;
  if (isFuzzing) {
    const kinds = [...waiting].toSorted(([, one], [, other]) => other - one);
    console.log(
      `${count} acts, ${Math.round(performance.now() / 1000)} s; pending after`,
      Object.fromEntries(kinds),
    );
  }
  expect(failures).toEqual([]);
}, 3_600_000);
