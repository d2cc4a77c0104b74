import { expect, test } from 'vitest';
import { readTextFile } from '../../base/src/text_file.ts';
import { awsAccount } from '../../clients/src/aws/account.ts';
import { createS3Client } from '../../clients/src/aws/s3_request.ts';
import { createHttpClient } from '../../clients/src/http/http_client.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import { configSource, noSource } from '../../config/src/source.ts';
import type { Environment } from '../../core/src/settings.ts';
import { ownServices } from '../../runtimes/src/inspect.ts';
import { examineConfig } from '../src/config_loads.ts';
import { readSetup } from '../src/setup.ts';
import { asLine, diagnose, formWith, worldOf } from './stage.ts';

const post = '[{type: http_post, url: "http://localhost/", mapping: "*"}]';

test('a config that loads is counted', async () => {
  expect(await diagnose(examineConfig, formWith(post))).toEqual(['ok webform.yaml: loads: 1 form, 1 output']);
});

test('warnings come with their place', async () => {
  const lines = await diagnose(examineConfig, formWith('[{type: http_post, url: "http://localhost/"}]'));
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(
    /^warning webform.yaml:1:54: forms.contact.outputs\[0\]: this output sends nothing;.*\n.*\^/s,
  );
});

test('an output type that nobody knows is a failure, since every submission will be', async () => {
  const lines = await diagnose(examineConfig, formWith('[{type: fax}]'));
  expect(lines[1]).toMatch(/^failure webform.yaml:1:\d+: forms.contact.outputs\[0\].type: .*answered 500/);
});

test('each problem of a broken config is a failure with its place and caret', async () => {
  const lines = await diagnose(examineConfig, formWith(post, 'confirmaton: x, redirect: y'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^failure webform.yaml:1:\d+: forms.contact.confirmaton: .*confirmation.*\n.*\^/s);
});

test('secrets in a broken config are not shown', async () => {
  const config = formWith('[{type: smtp, host: a.example, to: a@a.example, password: "{{ hunter2 }}"}]');
  expect((await diagnose(examineConfig, config)).join()).not.toContain('hunter2');
});

/** With the source that the environment names. */
async function fromEnvironment(env: Environment) {
  const http = createHttpClient().bytes;
  const readObject = createS3Client(
    { account: awsAccount((name) => env[name]), http, now: Date.now },
    { sleep: async () => {}, random: Math.random },
  );
  const world = { readObject, readFile: readTextFile, now: Date.now, sleep: async () => {} };
  const setup = await readSetup(
    env,
    ownServices(env),
    (settings) => configSource(settings, world) ?? noSource,
  );
  return (await examineConfig(setup, worldOf())).map(asLine);
}

test('a config is read from S3', async () => {
  const s3 = await startS3();
  const env = { ...account, CONFIG_BUCKET: 'configs', AWS_ENDPOINT_URL_S3: s3.origin };
  expect(await fromEnvironment(env)).toEqual([
    expect.stringContaining(
      'failure s3://configs/webform.yaml: there is no object "webform.yaml" in the bucket',
    ),
  ]);
  await s3.put('webform.yaml', formWith(post));
  expect(await fromEnvironment(env)).toEqual(['ok s3://configs/webform.yaml: loads: 1 form, 1 output']);
});

test('a config that cannot be read is a failure', async () => {
  expect(await fromEnvironment({ CONFIG_BUCKET: 'configs' })).toEqual([
    'failure s3://configs/webform.yaml: no AWS region: set AWS_REGION -> Check CONFIG_BUCKET, CONFIG_KEY, the region and the credentials.',
  ]);
  expect(await fromEnvironment({ CONFIG_FILE: 'nowhere.yaml' })).toEqual([
    expect.stringMatching(
      /^failure nowhere.yaml: there is no such file -> Say where the config is.*, or write one with relay init/,
    ),
  ]);
});
