import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { relayWith } from '../spec/stage.ts';
import { exceptExamples, parseConfig } from '../support/parse_config.ts';
import { blocks, list, pathOf, read } from './files.ts';
import { variables } from './variables.ts';

/** Variables that are not the relay's: the AWS SDK's, those of the examples, and a word of CloudFormation. */
const foreign = [
  'AWS_REGION',
  'AWS_PROFILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
  'ACME_EMAIL',
  'AWS_PROXY',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_USE_FIPS_ENDPOINT',
  'CRM_TOKEN',
  'NATS_PASSWORD',
  'NATS_USER',
  'SMTP_PASSWORD',
  'CAPABILITY_IAM',
];
/** The files that the commands create. */
const made = [
  'deploy/caddy/secrets',
  'deploy/compose/.env',
  'deploy/caddy/secrets/CRM_TOKEN',
  'deploy/caddy/secrets/FORM_TOKEN_SECRET',
  'dist/relay.cjs',
  'dist/lambda',
  'deploy/terraform/lambda.zip',
];

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string) => [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => anchorOf(text));

describe.each(list('docs/deploy'))('docs/deploy/%s', (name) => {
  const page = read(`docs/deploy/${name}`);
  const parts = blocks(page);
  const shell = parts.filter(({ language }) => language === 'sh').map(({ text }) => text);
  const [config] = parts.filter(({ language }) => language === 'yaml').map(({ text }) => text);

  test('mentions only files that exist', () => {
    const files = [
      ...page.matchAll(/(?<![\w./-])(?:deploy|dist|docs|examples|scripts|src)\/[\w./-]*\w/g),
    ].flat();
    expect(files.filter((file) => !made.includes(file) && !existsSync(pathOf(file)))).toEqual([]);
  });

  test('links to pages and headings that exist', () => {
    const links = [...page.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, to = '', anchor]) => {
      const target = to === '' ? `docs/deploy/${name}` : join(dirname('docs/deploy/page'), to);
      return (
        !existsSync(pathOf(target)) || (anchor !== undefined && !anchorsOf(read(target)).includes(anchor))
      );
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test('names only variables that the relay knows', () => {
    const known = [...variables.map((variable) => variable.name as string), ...foreign];
    const names = [...page.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].flat();
    expect(names).not.toEqual([]);
    expect(names.filter((variable) => !known.includes(variable))).toEqual([]);
  });

  test.skipIf(config === undefined)('has a config that loads without a warning', async () => {
    const result = parseConfig(config ?? '', 'webform.yaml');
    expect(result.ok ? exceptExamples(await result.value.warnings()) : result.error).toEqual([]);
  });

  const asked = parts.flatMap(({ text }, i) => {
    const next = parts[i + 1];
    return text.startsWith('curl "$URL') && next?.language === 'json'
      ? [{ curl: text, answer: next.text }]
      : [];
  });
  const served = config ?? read('deploy/kubernetes/webform.yaml');

  test.skipIf(asked.length === 0).each(asked)('$curl', async ({ curl, answer }) => {
    const relay = await relayWith({
      config: served,
      env: { MAIL_FROM_ADDRESS: 'forms@example.com', CRM_TOKEN: 'token', SMTP_PASSWORD: 'password' },
      effects: {
        http: async () => ({ status: 200, headers: {}, body: '' }),
        ses: async () => undefined,
      },
    });
    const { stdout } = await promisify(execFile)('sh', ['-c', curl], {
      env: { PATH: process.env.PATH, URL: relay.origin },
    });
    expect(`${stdout}\n`).toBe(answer);
  });

  test('has only shell blocks that a shell can read', async () => {
    for (const text of shell) await promisify(execFile)('sh', ['-n', '-c', text]);
  });
});
