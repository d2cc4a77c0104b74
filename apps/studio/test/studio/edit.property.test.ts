/** Any actions on any config of ours: the text has the expected value, and unrelated lines do not change. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { recipes } from '@form-relay/starters/recipes';
import fc from 'fast-check';
import { isCollection, isMap, isScalar, type Node, parse, parseDocument } from 'yaml';
import { readDocument } from '../../../../packages/yaml/src/document.ts';
import { holds, runs } from '../../../../test/support/fuzz.ts';
import { applied, edit } from '../../edit/edit.ts';
import type { Action, Json, Path } from '../../edit/model.ts';
import { readConfig } from '../../edit/read.ts';
import { asInFile, plainText } from '../../src/live_config.ts';

const textsIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.ya?ml$/.test(path) && !path.includes('node_modules'))
        .map((path) => ({ name: `${folder}/${path}`, text: readFileSync(`${folder}/${path}`, 'utf8') }))
    : [];

const configs = [
  ...textsIn('examples'),
  ...textsIn('packages/starters/templates'),
  ...recipes.map(({ name, config }) => ({ name: `recipe ${name}`, text: config })),
];

/** YAML styles that our examples do not use. */
const odd = [
  `---
# The file.

# About a.
a:
- x # one
# Two.
-   y: 1
    z: |+
      kept


    # Last.
    w: >-
      folded
      text

- - nested
  - [1, 2,
     3]

# Out of place.
b:    {  c: 1,d: 2  ,  'e': "f" }   # wide

c: |
   three

# c: commented out
  # deeper

'd':
        deep: yes
        list:
                -
                  # first
                  q: 1

                # second
                - r: ""
                -
...
`,
  `flow: {
  a: 1, # one
  # two
  b: [x,
    y, z],
  c: {d: {e: {f: g}}},
  }
list: [
  1,
  "two", # 2
  { three: 3 }
  ]
empty: {}
none:
also: # nothing
long: one
  two
  three # end
quoted: "one
  two"
last: |-
  text`,
  `[{a: 1}, {a: 2, b}, [], {}, "x"]
`,
  `# A list.
- name: a

- name: b
  # c
  c:

  -   d

  -   e
# end
`,
].map((text, nth) => ({ name: `odd ${nth}`, text }));

const variants: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => `\ufeff${text}`,
  (text) => text.trimEnd(),
  (text) => `\ufeff${text.trimEnd().replaceAll('\n', '\r\n')}`,
];

const nasty = [
  ...['', ' ', '#', 'a # b', ': ', 'a: b', '- a', '-', '?', '? a', 'yes', 'No', 'on', 'null', '~', 'true'],
  ...['1e3', '0x1F', '012', '1.10', '12:30', '2025-01-01', '.inf', '=', '<<', '"', "'", 'it\'s "so"', '\\'],
  ...['a\\nb', 'a\nb', 'a\nb\n', '\na', ' a\n b', 'a\n\n\nb\n\n', '\n', 'a\r\nb', 'a\tb', '\ta'],
  ...['trailing ', 'é ü ß', '🎈', '{a}', '[b', 'a, b', '*a', '&a', '!a', '%a', '@a', '`a'],
  ...['{{ .fields.a }}', '---', '...', '\u0085', '\u2028', '\ud800', '\u0000', 'a:', ':a'],
  ...['key with spaces', 'x'.repeat(200)],
];
const text = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.array(fc.constantFrom(...nasty), { maxLength: 4 }).map((parts) => parts.join('')),
);
const key = fc.oneof(fc.constantFrom('name', 'label', 'title', 'new_key', 'yes', '1', 'a b', '#', 'é'), text);
const scalar = fc.oneof(
  text,
  fc.integer(), // JSON has no -0.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
  fc.constant(null),
);
const { value: anyValue } = fc.letrec<{ value: Json; list: Json; map: Json }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalar, tie('list'), tie('map')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  map: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
}));

/** Becomes an action when the current config is known. */
const wish = fc.record({
  kind: fc.constantFrom('set', 'set', 'change', 'add', 'remove', 'insert', 'move', 'rename'),
  where: fc.nat(),
  nth: fc.nat(),
  key,
  value: anyValue,
});
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

type Mutable = { [key: string]: Mutable } & Mutable[];
const isObject = (value: unknown): value is Mutable => typeof value === 'object' && value !== null;

function pathsOf(value: unknown, path: Path = []): Path[] {
  const below = isObject(value)
    ? Object.entries(value).flatMap(([name, held]) =>
        pathsOf(held, [...path, Array.isArray(value) ? Number(name) : name]),
      )
    : [];
  return [path, ...below];
}
const at = (value: unknown, path: Path) =>
  path.reduce(
    (held: unknown, name) => (isObject(held) && Object.hasOwn(held, name) ? held[name as never] : undefined),
    value,
  );
const pick = <T>(all: readonly T[], nth: number): T | undefined => all[nth % all.length];

function actionOf({ kind, where, nth, key: name, value }: Wish, model: unknown): Action | undefined {
  const paths = pathsOf(model);
  const maps = paths.filter((path) => isObject(at(model, path)) && !Array.isArray(at(model, path)));
  const lists = paths.filter((path) => Array.isArray(at(model, path)));
  const inMaps = paths.filter((path) => typeof path.at(-1) === 'string');
  if (maps.length === 0) return undefined;
  if (kind === 'set' || kind === 'remove') {
    const path = pick(paths.slice(1), where);
    return path && (kind === 'set' ? { do: 'set', path, value } : { do: 'remove', path });
  }
  if (kind === 'change') {
    const path = pick(maps, where) as Path;
    const map = at(model, path) as { [key: string]: Json };
    const changed = pick(Object.keys(map), nth);
    return {
      do: 'set',
      path,
      value: {
        ...map,
        ...(changed !== undefined && { [changed]: value }),
        ...(nth % 3 === 0 && { [name]: nth }),
      },
    };
  }
  if (kind === 'add') {
    const map = pick(maps, where) as Path;
    if (Object.hasOwn(at(model, map) as object, name)) return undefined;
    return { do: 'set', path: nth % 3 === 0 ? [...map, name, 'deep', 'deeper'] : [...map, name], value };
  }
  if (kind === 'insert') {
    const fresh = [...(pick(maps, where) as Path), name];
    const path = nth % 5 === 0 && at(model, fresh) === undefined ? fresh : pick(lists, where);
    const list = path && (at(model, path) as Json[] | undefined);
    return path && { do: 'insert', path, index: list ? nth % (list.length + 1) : 0, value };
  }
  if (kind === 'move') {
    const path = pick(
      lists.filter((one) => (at(model, one) as Json[]).length > 1),
      where,
    );
    const length = path && (at(model, path) as Json[]).length;
    return path && length ? { do: 'move', path, from: nth % length, to: (nth >> 8) % length } : undefined;
  }
  const path = pick(inMaps, where);
  if (!path || Object.hasOwn(at(model, path.slice(0, -1)) as object, name)) return undefined;
  return { do: 'rename', path, key: name };
}

const own = (map: object, name: string | number, value: unknown) =>
  Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });

/** The result of the same action on plain data. */
function modelAfter(before: unknown, action: Action): unknown {
  const box = { all: structuredClone(before) } as unknown as Mutable;
  const path = ['all', ...action.path];
  const around = path.slice(0, -1).reduce((held: Mutable, name) => {
    if (!isObject(at(held, [name]))) own(held, name, {});
    return held[name as never] as Mutable;
  }, box);
  const last = path.at(-1) as string | number;
  const held = at(around, [last]) as Mutable | undefined;
  if (action.do === 'set') own(around, last, structuredClone(action.value));
  else if (action.do === 'insert') {
    const list = Array.isArray(held) ? held : [];
    list.splice(action.index, 0, structuredClone(action.value) as never);
    own(around, last, list);
  } else if (action.do === 'move' && held) held.splice(action.to, 0, ...held.splice(action.from, 1));
  else if (action.do === 'remove') {
    if (Array.isArray(around)) around.splice(Number(last), 1);
    else delete around[last as never];
  } else if (action.do === 'rename') {
    const entries = Object.entries(around);
    for (const [name] of entries) delete around[name];
    for (const [name, one] of entries) own(around, name === last ? action.key : name, one);
  }
  return box.all;
}

/** The relay keeps each scalar except null as text. */
function isAsRelay(model: unknown, relay: unknown): boolean {
  if (Array.isArray(model))
    return (
      Array.isArray(relay) &&
      model.length === relay.length &&
      model.every((one, nth) => isAsRelay(one, relay[nth]))
    );
  if (isObject(model)) {
    const names = Object.keys(model);
    return (
      isObject(relay) &&
      !Array.isArray(relay) &&
      names.length === Object.keys(relay).length &&
      names.every((name) => Object.hasOwn(relay, name) && isAsRelay(model[name], relay[name]))
    );
  }
  if (typeof model === 'number') return Number(relay) === model;
  return relay === (typeof model === 'boolean' ? String(model) : model);
}

interface Lines {
  /** Line ranges of a path's key and value, or of its list item, counted from 0. */
  readonly of: (path: Path) => { from: number; first: number; last: number; text: string; isFlow: boolean };
  readonly all: readonly string[];
}

/** Cached, because the text after an action is the text before the next. */
const read = new Map<string, Lines>();
function linesOf(source: string): Lines {
  const known = read.get(source);
  if (known) return known;
  if (read.size > 2) read.clear();
  const lines = readLines(source);
  read.set(source, lines);
  return lines;
}

function readLines(source: string): Lines {
  const document = parseDocument(source, { keepSourceTokens: true });
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length - 1;
  const of = (path: Path) => {
    let from = 0;
    let to = source.length;
    let node = document.contents as Node | null;
    for (const name of path) {
      if (isMap(node)) {
        const pair = node.items.find(
          ({ key: one }) => isScalar(one) && String(one.value ?? one.source) === String(name),
        );
        const [start, end] = (pair?.key as Node | undefined)?.range ?? [0, 0];
        from = start;
        node = pair?.value as Node | null;
        to = Math.max(end, node?.range?.[1] ?? 0);
      } else {
        const list = node as unknown as {
          items: Node[];
          srcToken?: { items: { start: { type: string; offset: number }[] }[] };
        };
        node = list.items[Number(name)] as Node;
        const { start } = list.srcToken?.items[Number(name)] ?? {};
        [from, to] = node.range ?? [0, 0];
        from = start?.find(({ type }) => type === 'seq-item-ind')?.offset ?? from;
      }
    }
    // A block ends at the end of its last line.
    const last = lineAt(Math.max(from, source.slice(0, to).trimEnd().length));
    return {
      from,
      first: lineAt(from),
      last,
      text: source.slice(from, to),
      isFlow: isCollection(node) && node.flow === true,
    };
  };
  return { of, all: source.split('\n').map((line) => line.replace(/\r$/, '')) };
}

const isBlank = (line: string | undefined) => line !== undefined && line.trim() === '';
const isComment = (line: string | undefined) => line?.trim().startsWith('#') ?? false;
const indentOf = (line = '') => line.length - line.trimStart().length;

/** The lines that an action may change; all others must stay. */
function concerned({ of, all }: Lines, action: Action, model: unknown): { first: number; last: number } {
  const { path } = action;
  const known = path.findIndex((_, nth) => at(model, path.slice(0, nth + 1)) === undefined);
  const isNew = known !== -1;
  const around = isNew ? path.slice(0, known) : path;
  if (action.do === 'rename') {
    const { first } = of(path);
    return { first, last: first };
  }
  let { first, last } = of(around);
  // New lines come after everything that belongs to the surrounding item, including deeper comments.
  const isDeeper = (line: number) => isBlank(all[line]) || (isComment(all[line]) && indentOf(all[line]) > 0);
  while (isDeeper(last + 1)) last += 1;
  if (action.do !== 'remove') return { first, last };
  while (isComment(all[first - 1]) && indentOf(all[first - 1]) === indentOf(all[first])) first -= 1;
  while (isBlank(all[first - 1])) first -= 1;
  const parent = at(model, path.slice(0, -1));
  const sibling = (name: string) => of([...path.slice(0, -1), Array.isArray(parent) ? Number(name) : name]);
  // JavaScript lists keys that are integers first, wherever they are in the text.
  const siblings = Object.keys(parent as object).sort((a, b) => sibling(a).from - sibling(b).from);
  // Only the empty braces remain.
  const whole = of(path.slice(0, -1));
  if (siblings.length === 1) first = Math.min(first, whole.first);
  if (siblings.length === 1 && whole.isFlow) last = Math.max(last, whole.last);
  // In braces and brackets, the comma before the last item is removed with it.
  const before = siblings[siblings.indexOf(String(path.at(-1))) - 1];
  const { isFlow } = whole;
  if (isFlow && before !== undefined) first = Math.min(first, sibling(before).last);
  const next = siblings[siblings.indexOf(String(path.at(-1))) + 1];
  // The next key takes the place of the first, after its dash.
  if (next !== undefined && (isFlow || siblings[0] === String(path.at(-1))))
    last = Math.max(last, sibling(next).first);
  return { first, last };
}

function expectOthersStay(
  before: string,
  after: string,
  action: Action,
  model: unknown,
  context: string,
): void {
  const lines = linesOf(before);
  const { first, last } = concerned(lines, action, model);
  // The byte order mark stays first, on whichever line.
  const unmarked = (line: string) => line.replace(/^\uFEFF/, '');
  const now = after.split('\n').map((line) => unmarked(line.replace(/\r$/, '')));
  const above = lines.all.slice(0, first).map(unmarked);
  const below = lines.all.slice(last + 1).map(unmarked);
  expect(after.startsWith('\uFEFF'), context).toBe(before.startsWith('\uFEFF'));
  expect(now.slice(0, first), context).toEqual(above);
  expect(now.slice(now.length - below.length), context).toEqual(below);
  // Compares line endings, too: none may change.
  expect(after.startsWith(before.split('\n').slice(0, first).join('\n').replace(/\r$/, '')), context).toBe(
    true,
  );
  expect(
    after.endsWith(
      before
        .split('\n')
        .slice(last + 1)
        .join('\n'),
    ),
    context,
  ).toBe(true);
  if (action.do === 'set' && isObject(action.value))
    expectSameStays(lines, linesOf(after), action, model, context);
  if (action.do !== 'move') return;
  const sorted = (all: readonly string[]) => all.map((line) => line.trim().replace(/^(- +)+/, '')).sort();
  const { all: mixed } = lines;
  const isLines = mixed.slice(first, last + 1).length > 1 && !mixed[first]?.includes('[');
  if (isLines) expect(sorted(now), context).toEqual(sorted(mixed));
}

/** The file's last value includes the comments below it, which remain at the end of the file. */
const withoutRemarks = (text: string) => text.replace(/(\n[ \t]*(#[^\n]*)?)+$/, '').trimEnd();

/** Keys with an unchanged value must be written as before. */
function expectSameStays(
  before: Lines,
  after: Lines,
  action: Action & { do: 'set' },
  model: unknown,
  context: string,
): void {
  const old = at(model, action.path);
  if (!isObject(old) || Array.isArray(old) || Array.isArray(action.value)) return;
  const wanted = action.value as { readonly [key: string]: Json };
  for (const name of Object.keys(old)) {
    if (!Object.hasOwn(wanted, name) || JSON.stringify(old[name]) !== JSON.stringify(wanted[name])) continue;
    const path = [...action.path, name];
    expect(withoutRemarks(after.of(path).text), context).toBe(withoutRemarks(before.of(path).text));
  }
}

/** Each run makes at least 6.25 attempts. */
const tries = runs(16, 0.16);
let done = 0;
const refusals: string[] = [];

test("the file always loads with the actions' result, and every unrelated line is unchanged", async () => {
  expect(configs.length).toBeGreaterThan(30);
  const start = fc.record({
    config: fc.constantFrom(...configs, ...odd),
    variant: fc.constantFrom(...variants),
  });
  await holds(
    tries,
    [start, fc.array(wish, { minLength: 4, maxLength: 12 })],
    ({ config, variant }, wishes) => {
      let source = variant(config.text);
      let model: unknown = parse(source);
      for (const one of wishes) {
        const action = actionOf(one, model);
        if (!action) continue;
        const typed = plainText(source);
        const edited = edit(typed, action);
        done += 1;
        if (!edited.ok) {
          // If empty lines belong to a text, moving it would add those at its new place.
          if (action.do === 'move' && /[|>]\+/.test(source)) continue;
          refusals.push(`${edited.says} ${config.name} ${JSON.stringify(action)}`);
          continue;
        }
        const after = asInFile(applied(typed, edited.changes), source);
        const wanted = modelAfter(model, action);
        const context = `${config.name}\n${JSON.stringify(action)}\n${source}\n=>\n${after}`;
        expect(parse(after), context).toEqual(wanted);
        const relay = readDocument(after);
        expect(relay.ok && isAsRelay(wanted, relay.value.value), context).toBe(true);
        expectOthersStay(source, after, action, model, context);
        [source, model] = [after, wanted];
      }
    },
  );
  expect(done).toBeGreaterThan(6.25 * tries.numRuns);
  expect(refusals).toEqual([]);
});

test('the builder reads all examples without changing them', () => {
  for (const { text: source } of configs) {
    expect(readConfig(source).value).toEqual(parse(source));
    expect(readConfig(source).whyText([])).toBe(undefined);
  }
});
