/** The templates as served by the studio, and as forms in an existing config. */
import { readFileSync } from 'node:fs';
import { sampleValues } from '@form-relay/dry-run/samples';
import { templates } from '@form-relay/starters/templates';
import { load } from 'js-yaml';
import { globSync } from 'tinyglobby';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import { addTemplate } from '../../app/start/add_template.ts';
import { applied } from '../../edit/edit.ts';
import type { ReportState, StartingPointsState } from '../../src/state.ts';
import { env, stage } from './stage.ts';

/** Encodes a form as a browser does, with or without files. */
function encoded(values: readonly (readonly [name: string, value: string])[]): FormData | URLSearchParams {
  if (!values.some(([, value]) => value.startsWith('data:')))
    return new URLSearchParams(values.map(([name, value]): [string, string] => [name, value]));
  const form = new FormData();
  for (const [name, value] of values) {
    const [, type = '', file, content = ''] = /^data:(.+?);name=(.+?);base64,(.*)$/s.exec(value) ?? [];
    if (file === undefined) form.append(name, value);
    else form.append(name, new File([Buffer.from(content, 'base64')], file, { type }));
  }
  return form;
}

test.each(templates)('$name accepts a sample, and every output receives it', async ({ name, config }) => {
  const at = await stage({ config, env });
  const events = await at.events();
  const parsed = parseConfig(config, 'webform.yaml');
  const form = parsed.ok ? parsed.value.forms.get(name) : undefined;
  if (!form) throw new Error(`${name} does not load`);
  const page = await at.request(`/api/v1/form/${name}?as=page`);
  const token = /name="_ts" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  at.advance(10_000);
  const sent = await fetch(`${at.origin}/api/v1/submit/${name}`, {
    method: 'POST',
    // Without these browser headers, the submission would be doubted.
    headers: {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'accept-language': 'en',
      accept: 'application/json',
    },
    body: encoded([...sampleValues(form, Date.now()), ['_ts', token]]),
  });
  expect(await sent.text()).toBe('{"message":"ok"}');
  let { data } = (await events.next('report')) as { data: ReportState };
  if (data.link !== undefined) {
    // The owner of the address opens the link in the mail.
    expect(data.report.outputs).toEqual([]);
    const [path = '', query = ''] = data.link.split('?');
    expect((await at.post(path, Object.fromEntries(new URLSearchParams(query)))).status).toBeLessThan(400);
    do ({ data } = (await events.next('report')) as { data: ReportState });
    while (!data.report.isConfirmed);
  }
  expect(data.report.outcome).toBe('delivered');
  expect(data.report.outputs.map(({ result, warnings }) => [result, warnings])).toEqual(
    form.outputs.map(() => ['delivered', []]),
  );
  expect(data.report.ignored).toEqual([]);
});

test('the studio serves them with pictures that contain no scripts', async () => {
  const at = await stage({ config: 'forms: {}' });
  const { status, text } = await at.request('/studio/templates.json');
  expect(status).toBe(200);
  const { style, templates: served } = JSON.parse(text) as StartingPointsState;
  expect(style).toContain('.form-relay');
  expect(served.map(({ picture, ...rest }) => rest)).toEqual(templates);
  for (const { picture } of served) {
    expect(picture).toMatch(/^<form [^>]*class="form-relay"/);
    expect(picture).not.toMatch(/<(script|noscript|style)|\sstyle=|\son\w+=/);
  }
});

const added = (text: string, config: { readonly name: string; readonly config: string }) => {
  const { id, changes, actions } = addTemplate(text, config.name, config.config);
  return { id, changes, after: changes && applied(text, changes), actions };
};

const quote = templates.find(({ name }) => name === 'quote') as (typeof templates)[number];
const contact = templates.find(({ name }) => name === 'contact') as (typeof templates)[number];

describe('a template becomes a form in an existing config', () => {
  const root = new URL('../../../../', import.meta.url);
  const examples = globSync(['examples/*/webform.yaml', 'packages/starters/templates/*.yaml'], {
    cwd: root.pathname,
  });

  test.each(examples.toSorted())('templates of %s keep their comments and every line', (file) => {
    const text = readFileSync(new URL(file, root), 'utf8');
    const spellings = [text, text.trimEnd()];
    for (const [nth, template] of templates.entries()) {
      for (const before of spellings.filter((_, spelling) => spelling === nth % spellings.length)) {
        const { id, changes = [], after = '' } = added(before, template);
        const given = load(before) as { forms: object; keep?: object };
        const own = load(template.config) as { forms: Record<string, object>; keep?: object };
        expect(load(after)).toEqual({
          ...own,
          ...given,
          forms: { ...given.forms, [id]: own.forms[template.name] },
        });
        expect(parseConfig(after, 'webform.yaml').ok).toBe(true);
        // Changes only insert.
        expect(changes.every(({ from, to }) => from === to)).toBe(true);
        expect(after).toContain('# A field that people do not see.');
      }
    }
  });

  test('an empty config becomes the template, byte for byte', () => {
    for (const empty of ['', '\n', '  \n\n']) expect(added(empty, quote).after).toBe(quote.config);
  });

  test('comments in an otherwise empty config stay', () => {
    const { after = '' } = added('# Ours\n', contact);
    expect(after.startsWith('# Ours\n\nforms:\n  contact:\n')).toBe(true);
  });

  test.each([
    ...['{forms: {}}', 'forms: {a: {fields: [], outputs: []}}\n', 'forms: {}\n', 'forms: [\n', '- a\n'],
    ...['a: 1\n---\nb: 2\n'],
  ])("if text cannot be inserted, the editor's actions have the same effect: %j", (config) => {
    const { after, actions } = added(config, quote);
    expect(after).toBeUndefined();
    expect(actions.map(({ path }) => path)).toEqual([['forms', 'quote'], ['keep']]);
  });
});
