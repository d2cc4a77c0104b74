/** Forms of other services, with every key that the services document, and with arbitrary values for some keys. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { holds } from '../../../test/support/fuzz.ts';
import { must } from '../../../test/support/must.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { formats, readImport } from '../../page/src/imports/read_import.ts';
import { configText } from '../../page/src/moving_in/config_text.ts';
import { formatProblem } from '../../yaml/src/problem.ts';

const sources = load(readFileSync(new URL('imports.yaml', import.meta.url), 'utf8')) as Record<
  'google' | 'typeform' | 'opnform' | 'formspree' | 'relay',
  Record<string, unknown>
>;

/** The config and the remarks, or the error. */
async function told(source: object): Promise<string> {
  const read = await readImport(JSON.stringify(source), undefined);
  return read.ok ? configText(must(read), 'x', 's.json') : read.error;
}

type Step = string | number;
/** The paths of all keys. */
function pathsIn(value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner === 'object' && Object.keys(inner ?? {}).length === 0) return [];
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [...(Array.isArray(value) ? [] : [here]), ...pathsIn(inner, here)];
  });
}
const shown = (path: readonly Step[]) => path.filter((step) => typeof step === 'string').join('.');

/** A copy with a changed value at a path. */
function changed(
  source: object,
  path: readonly Step[],
  change: (holder: Record<Step, unknown>, key: Step) => void,
) {
  const copy = structuredClone(source) as Record<Step, unknown>;
  const holder = path.slice(0, -1).reduce((at, step) => at[step] as Record<Step, unknown>, copy);
  change(holder, path.at(-1) ?? '');
  return copy;
}

/** Keys for the service's internal ids and design, which mean nothing to a relay. */
const meaningless =
  /(^|\.)(id|ref|type|formId|revisionId|responderUri|documentTitle|itemId|questionId|folderId|iconType|theme|workspace|self|_links|\w+_at|meta|href|progress_bar|enabled|share_icons|shape|structure|separator|vertical_alignment|supersized|show_labels|hide_marks|button_text|show_button|button_mode|slug|workspace_id|is_(pro|closed)|has_password|max_number_of_submissions_reached|form_pending_submission_key|max_file_size|last_edited_human|selection_data)(\.\w+)*$/;
/** A remark covers the whole group of these keys. */
const toldAsAWhole =
  /image|Item(\.(video|caption)|$)|quizSettings|shuffle|^fields\.properties$|^thankyou_screens\.(title|properties)$|grading|welcome_screens|attachment|^variables|^outcome|^logic|captcha\.|actions\.(url|apiKey|type)|respondent|publishState|currency|goTo|fields\.(name|label)$|^properties\.name$|decoders|^properties\.logic|options\.id/;

/**
 * The source with one question at a time, between two copies of the first, and the paths to try there.
 * Importing all questions each time would be slow.
 */
function partsOf(source: Record<string, unknown>): (readonly [part: object, paths: (readonly Step[])[]])[] {
  const key = ['items', 'properties'].find((one) => one in source) ?? 'fields';
  const [first, ...others] = (source[key] ?? []) as readonly unknown[];
  if (others.length === 0) return [[source, [...pathsIn(source)]]];
  return others.map((one, index) => {
    const part = { ...source, [key]: [first, one, first] };
    return [part, pathsIn(part).filter(([top, at]) => index === 0 || (top === key && at === 1))];
  });
}

/** The relay has nothing like these questions, so the report names none of their keys. */
const unlike = ['["fields",20]', '["properties",14]', '["items",12]', '["items",13]'];

describe.each(Object.entries(sources))('%s', (_, source) => {
  test('every key changes the config or the remarks, or means nothing to a relay', async () => {
    const silent: string[] = [];
    for (const [part, paths] of partsOf(source)) {
      const whole = await told(part);
      for (const path of paths) {
        const without = changed(part, path, (holder, key) => delete holder[key]);
        if ((await told(without)) === whole) silent.push(shown(path));
      }
    }
    expect(silent.filter((path) => !meaningless.test(path) && !toldAsAWhole.test(path))).toEqual([]);
  });

  test('an unknown key is reported', async () => {
    const places = pathsIn(source).filter(
      (path) =>
        !toldAsAWhole.test(shown(path)) &&
        !/theme|workspace|self|_links|meta|href|actions|screens/.test(shown(path)) &&
        !unlike.includes(JSON.stringify(path.slice(0, 2))),
    );
    await holds(
      60,
      [fc.constantFrom(...places), fc.constantFrom('some text', 7, true, { inner: 'x' })],
      async (path, value) => {
        const more = changed(source, path, (holder) => {
          holder.zz_unheard = value;
        });
        expect(await told(more)).toContain('zz_unheard');
      },
    );
  });
});

/** Every word in the format tables: keys in paths, types, and words that only look like keys. */
const known = [...new Set(JSON.stringify(formats).match(/[A-Za-z_]{3,}/g))];
const words = fc.constantFrom(
  ...known,
  ...[
    ...['__proto__', 'constructor', 'toString', '_ts', '', ' ', '<b>x</b>', '{{ .fields.x }}'],
    '[a](javascript:b)',
  ],
  ...[
    ...['\u0000', '\u202e', '\ud800', '😀', ': ', '- a', '"', "'", '#', '1e999', '-0', 'a.b', 'a\tb\n'],
    ...['/[/', '🙂'.repeat(99)],
  ],
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    words,
    fc.constantFrom(true, false, null, 0, 1, -1, 5, 11, 1.5, 1e21),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 5 }),
  ),
}));

/** A source with arbitrary values in some places. */
const mutated = fc.constantFrom(...Object.values(sources).flatMap(partsOf)).chain(([part, paths]) => {
  const changes = fc.array(fc.tuple(fc.constantFrom(...paths), fc.oneof(words, anything)), { maxLength: 9 });
  return changes.map((all) => all.reduce((json, [path, value]) => replaced(json, path, value), part));
});

/** A copy with another value at a path, unless an earlier change removed the path. */
function replaced(json: object, path: readonly Step[], value: unknown): object {
  try {
    return changed(json, path, (holder, key) => {
      holder[key] = value;
    });
  } catch {
    return json;
  }
}

test('any JSON leads to a config that loads, or to a reason', () =>
  holds(150, [fc.oneof(anything, mutated)], async (json) => {
    const read = await readImport(JSON.stringify(json, null, 1), undefined);
    if (!read.ok) {
      expect(read.error).toMatch(/^\w/);
      return;
    }
    const config = configText(read.value, 'export.json', 'webform.schema.json');
    const parsed = parseConfig(config, 'webform.yaml');
    expect(parsed.ok ? [] : parsed.error.map(formatProblem), config).toEqual([]);
    expect(config.replaceAll('\n', '')).not.toMatch(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  }));

const short = (title: string) => ({ type: 'short_text', title });

test('a form with 10,000 fields is imported at once, and each field has its own name', async () => {
  const fields = Array.from({ length: 10_000 }, (_, at) => short(at % 2 ? 'Again' : `Question ${at}`));
  const [form] = must(await readImport(JSON.stringify({ title: 'Large', fields, _links: {} }), undefined));
  expect(new Set(form?.fields.map(({ name }) => name)).size).toBe(10_000);
});

test.each([
  ['endless lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'cannot be read'],
  ['half a file', '{"title": "x", "fields": [', 'cannot be read'],
  ['something else', '{"name": "package", "version": "1.0.0"}', 'expected a page'],
  ['no fields', '{"title": "x", "fields": [], "_links": {}}', 'no fields'],
  ['text', 'forms are fun', 'expected a page'],
  ['a list of forms', 'forms:\n  - a\n', 'expected a page'],
])('%s: an error that says why', async (_, text, why) => {
  const read = await readImport(text, undefined);
  expect(read.ok ? '' : read.error).toContain(why);
});
