import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { relayWith } from '../support/index.ts';
import { blocks, list, read } from './files.ts';
import { variables } from './variables.ts';

/** Variables that are not the relay's: the AWS SDK's, those of examples, and a word from CloudFormation. */
const foreign = [
  ...['AWS_REGION', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_DEFAULT_REGION'],
  ...['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3', 'ACME_EMAIL', 'AWS_PROXY', 'AWS_USE_DUALSTACK_ENDPOINT'],
  ...['AWS_USE_FIPS_ENDPOINT', 'CRM_TOKEN', 'NATS_PASSWORD', 'NATS_USER', 'SMTP_PASSWORD', 'CAPABILITY_IAM'],
];

describe.each(list('docs/deploy'))('docs/deploy/%s', (name) => {
  const page = read(`docs/deploy/${name}`);
  const parts = blocks(page);
  const shell = parts.filter(({ language }) => language === 'sh').map(({ text }) => text);
  const [config] = parts.filter(({ language }) => language === 'yaml').map(({ text }) => text);

  test('names only variables that the relay knows', () => {
    const known = [...variables.map((variable) => variable.name as string), ...foreign];
    const names = [...page.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].flat();
    expect(names).not.toEqual([]);
    expect(names.filter((variable) => !known.includes(variable))).toEqual([]);
  });

  const calls = parts.flatMap(({ text }, i) => {
    const next = parts[i + 1];
    return text.startsWith('curl "$URL') && next?.language === 'json'
      ? [{ curl: text, answer: next.text }]
      : [];
  });
  const served = config ?? read('deploy/kubernetes/webform.yaml');

  test.skipIf(calls.length === 0).each(calls)('$curl', async ({ curl, answer }) => {
    const relay = await relayWith({
      config: served,
      env: { MAIL_FROM_ADDRESS: 'forms@example.com', CRM_TOKEN: 'token', SMTP_PASSWORD: 'password' },
      effects: { http: async () => ({ status: 200, headers: {}, body: '' }), ses: async () => undefined },
    });
    const { stdout } = await promisify(execFile)('sh', ['-c', curl], {
      env: { PATH: process.env.PATH, URL: relay.origin },
    });
    expect(`${stdout}\n`).toBe(answer);
  });

  test('contains only valid shell blocks', async () => {
    for (const text of shell) await promisify(execFile)('sh', ['-n', '-c', text]);
  });
});
