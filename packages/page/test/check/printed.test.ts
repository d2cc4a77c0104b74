import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { formHtml } from '../../../../test/support/form_html.ts';
import { holds } from '../../../../test/support/fuzz.ts';
import { relayWith } from '../../../../test/support/index.ts';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import type { Form } from '../../../core/src/form.ts';
import { everyField } from '../../../core/test/html/every_field.ts';
import { captchaProviders } from '../../../spam/src/captcha/captcha.ts';
import { formatProblem } from '../../../yaml/src/problem.ts';
import { checkPage } from '../../src/check/check_page.ts';

/** Forms that the relay prints and serves match the config that they were made from. */

interface Variant {
  readonly baseUrl?: string;
  readonly script?: boolean;
}

const printed = (config: string, form: string, { baseUrl, script }: Variant): Promise<string> =>
  formHtml(
    config,
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(script ? ['--script'] : []),
    '--',
    form,
  );

function formsOf(config: string): readonly Form[] {
  const parsed = parseConfig(config, 'webform.yaml');
  if (!parsed.ok) throw new Error(parsed.error.map(formatProblem).join('\n'));
  return [...parsed.value.forms.values()];
}

async function problems(page: string, form: Form, { baseUrl }: { baseUrl?: string } = {}) {
  const world = { config: form, formIds: [form.id], encoding: 'utf-8' };
  const { problems, isLoaded } = await checkPage(page, 'page.html', {
    ...world,
    baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl),
  });
  return isLoaded ? ['no form was found'] : problems.map(formatProblem);
}

const output = 'outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]';
const everyConfig = `forms:${everyField.replace('$sink', 'http://127.0.0.1:9/')}`;
const examples = new URL('../../../../examples/', import.meta.url);
const configs: readonly (readonly [name: string, config: string])[] = [
  ...readdirSync(examples, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('webform.yaml'))
    .map((file) => [file, readFileSync(new URL(file, examples), 'utf8')] as const),
  ['every field type', everyConfig],
  ...Object.entries(captchaProviders).map(([provider, about]): readonly [string, string] => [
    provider,
    `forms: {f: {fields: [{name: a}], captcha: {provider: ${provider}, secret: s, site_key: k${'isRenamable' in about ? ', field: t' : ''}}, ${output}}}`,
  ]),
];

const baseUrl = 'https://forms.example.com/relay';
const variants: readonly (readonly [name: string, options: Variant])[] = [
  ['', {}],
  ['--script', { script: true }],
  ['--base-url', { baseUrl }],
  ['--base-url --script', { baseUrl, script: true }],
];

describe.each(configs)('%s', (_, config) => {
  test.each(variants)('relay form html %s matches', async (_, options) => {
    for (const form of formsOf(config)) {
      const page = await printed(config, form.id, options);
      expect(await problems(page, form, options)).toEqual([]);
      const around = (head: string) => `<!doctype html><html><head>${head}</head><body>${page}</body></html>`;
      expect(await problems(around('<script src="/api/v1/form.js"></script>'), form)).toEqual([]);
    }
  });

  test('the page that the relay serves matches', async () => {
    const relay = await relayWith({ config, env: { FORM_TOKEN_SECRET: 'not so secret' } });
    for (const form of formsOf(config)) {
      const path = `/api/v1/form/${encodeURIComponent(form.id)}`;
      for (const query of ['as=page', '']) {
        const request = { method: 'GET', path, query, headers: {}, body: Buffer.alloc(0) };
        const { body, headers } = await relay.relay.handle(request);
        expect(headers['content-type']).toContain('text/html');
        const found = await problems(body, form);
        expect(found.filter((one) => !one.includes('unless a server writes a fresh token'))).toEqual([]);
      }
    }
  });
});

const needed =
  formsOf(everyConfig)[0]?.fields.flatMap((field) => field.inputs?.validated(new Map()) ?? field) ?? [];

test.each(needed.map((field) => field.name))('without %s it does not match', async (name) => {
  const [form] = formsOf(everyConfig);
  if (!form) throw new Error('the config has no form');
  const page = await printed(everyConfig, form.id, {});
  const renamed = page.replaceAll(` name="${name}"`, ` name="${name}_2"`);
  // The slot of a conditional field also promises it.
  const found = await problems(renamed.replaceAll(`--${name}--slot"`, '"'), form);
  expect(found).toContainEqual(expect.stringMatching(`"${name}_2" is not a field`));
  expect(found).toContainEqual(expect.stringMatching(`this form has no .*"${name}"`));
});

/** Names and values with every character that is special in markup, URLs and ids. */
const name = fc
  .string({ unit: fc.constantFrom(...'aZ0_-. /%?#&+<>"\'ä😀[]{}()=*:\\'), minLength: 1, maxLength: 6 })
  .filter((text) => text.trim() === text && !/^\.+$/.test(text));
const names = (least: number) => fc.uniqueArray(name, { minLength: least, maxLength: 4 });

const field = fc.record(
  {
    type: fc.constantFrom('text', 'email', 'textarea', 'hidden', 'url', 'tel', 'number', 'date'),
    required: fc.boolean(),
  },
  { requiredKeys: ['type'] },
);
const choice = fc.record({
  type: fc.constantFrom('select', 'radios', 'checkboxes'),
  required: fc.boolean(),
  options: names(1),
});
const checkbox = fc.record({ type: fc.constant('checkbox'), checked_value: name });

const randomForm = fc
  .tuple(name, names(3), fc.array(fc.oneof(field, choice, checkbox), { maxLength: 2 }), fc.boolean())
  .map(([id, [decoy, token, ...rest], fields, isSlow]) => ({
    forms: {
      [id]: {
        fields: fields.flatMap((field, index) => {
          const name = rest[index];
          return name === undefined ? [] : [{ ...field, name }];
        }),
        spam: { honeypot: decoy, token_field: token, ...(isSlow && { min_fill_seconds: 2 }) },
        outputs: [{ type: 'http_post', url: 'http://127.0.0.1:9/', mapping: '*' }],
      },
    },
  }));

test('relay form html matches with any names and values', () =>
  holds(12, [randomForm, fc.constantFrom(...variants)], async (random, [, options]) => {
    const config = JSON.stringify(random);
    const [form] = formsOf(config);
    if (!form) throw new Error('the config has no form');
    expect(await problems(await printed(config, form.id, options), form, options)).toEqual([]);
  }));
