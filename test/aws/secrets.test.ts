/** Secrets by ARN, as the built function and the built program read them. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { secretReader } from '../../packages/runtimes/src/secret_arns.ts';
import { httpSink } from '../spec/stage.ts';
import { parameter, secret, startSecrets } from '../support/aws/secrets.ts';
import { account } from '../support/aws/signature.ts';
import { runs } from '../support/fuzz.ts';
import { apiGatewayEvent } from '../support/lambda_events.ts';
import { startLambda } from '../support/lambda_runtime.ts';
import { listen } from '../support/listen.ts';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const tokenSecret = '4f8a1c9e27b6d03f5a8e1c9d';

/** A form whose output says what it read. */
const configFor = (url: string) => `
forms:
  contact:
    fields: [{name: name}]
    outputs:
      - type: http_post
        url: ${url}
        static: {crm: '{{ env "CRM_TOKEN" }}', plain: '{{ env "TOPIC" }}', arn: '{{ env "KEY_ARN" }}'}
`;

async function stage(held: Parameters<typeof startSecrets>[0], env: Readonly<Record<string, string>>) {
  const secrets = await startSecrets(held);
  onTestFinished(secrets.close);
  const sink = await httpSink({ answer: () => ({}) });
  return {
    secrets,
    sink,
    env: {
      ...account,
      // The ARN says where a secret is.
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_SSM: secrets.origin,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.origin,
      CONFIG_INLINE: configFor(sink.origin),
      ...env,
    },
  };
}

const submission = apiGatewayEvent({
  method: 'POST',
  target: '/api/v1/submit/contact',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from('name=Ada'),
});

const topic = 'arn:aws:sns:eu-central-1:111122223333:topic';

describe.each(['require', 'import'] as const)('a function that is loaded by %s', (way) => {
  test('gets the values of …_ARN that it needs, once, before its first request', async () => {
    const { secrets, sink, env } = await stage(
      {
        [parameter('forms/crm')]: 'from-ssm',
        [secret('forms-AbCdEf')]: JSON.stringify({ token: tokenSecret, keep: 'other' }),
      },
      {
        CRM_TOKEN_ARN: parameter('forms/crm'),
        FORM_TOKEN_SECRET_ARN: `${secret('forms-AbCdEf')}#token`,
        KEEP_SECRET_ARN: `${secret('forms-AbCdEf')}#keep`,
        // The config uses the ARN itself, a variable that is set, and no DB_PASSWORD.
        KEY_ARN: secret('forms-AbCdEf'),
        TOPIC: topic,
        TOPIC_ARN: parameter('forms/topic'),
        DB_PASSWORD_ARN: parameter('forms/db'),
        DB_PASSWORD: '',
      },
    );
    const lambda = await startLambda({ env, way });
    onTestFinished(lambda.close);
    expect(await lambda.init).toBe('ready');
    expect(secrets.asked.toSorted()).toEqual([secret('forms-AbCdEf'), parameter('forms/crm')]);
    for (const _ of [1, 2]) expect((await lambda.invoke(submission)).result.statusCode).toBe(200);
    expect(
      sink.requests.map(({ bytes }) => Object.fromEntries(new URLSearchParams(bytes.toString()))),
    ).toEqual(Array(2).fill({ crm: 'from-ssm', plain: topic, arn: secret('forms-AbCdEf') }));
    expect(secrets.asked).toHaveLength(2);
    expect(lambda.log()).not.toMatch(/from-ssm|4f8a1c9e/);
  });
});

test('a function is not made without a secret of its own, and the log names each', async () => {
  const { env } = await stage(
    { [secret('forms-AbCdEf')]: 'no JSON, but a secret' },
    {
      FORM_TOKEN_SECRET_ARN: parameter('missing'),
      KEEP_SECRET_ARN: `${secret('forms-AbCdEf')}#keep`,
      RECEIPT_SECRET_ARN: 'arn:aws:ssm:eu-central-1:111122223333:paramter/receipt',
    },
  );
  const lambda = await startLambda({ env });
  onTestFinished(lambda.close);
  const problem = await lambda.init;
  const lines = [
    `FORM_TOKEN_SECRET_ARN: there is no ${parameter('missing')} (ParameterNotFound)`,
    `KEEP_SECRET_ARN: ${secret('forms-AbCdEf')} is no JSON object with text under "keep", which stands behind the #`,
    'RECEIPT_SECRET_ARN: this is no ARN of a parameter or a secret, such as arn:aws:ssm:eu-central-1:111122223333:parameter/forms/token or arn:aws:secretsmanager:eu-central-1:111122223333:secret:forms-AbCdEf',
  ];
  expect(problem === 'ready' ? [] : problem.errorMessage.split('\n').toSorted()).toEqual(lines);
  const [line = ''] = lambda.log().split('\n');
  expect(JSON.parse(line)).toMatchObject({ level: 'error', event: 'start_failed' });
  expect(lambda.log()).not.toMatch(/no JSON, but|do not tell/);
});

test('a function whose config needs a secret that cannot be had answers 500, and asks again', async () => {
  const { env } = await stage(
    { [parameter('crm')]: { error: 'AccessDeniedException', times: 2 } },
    { CRM_TOKEN_ARN: parameter('crm') },
  );
  const lambda = await startLambda({ env });
  onTestFinished(lambda.close);
  expect(await lambda.init).toBe('ready');
  const status = async () => (await lambda.invoke(submission)).result.statusCode;
  expect(await status()).toBe(500);
  await expect.poll(status).toBe(200);
  const [line = ''] = lambda.log().split('\n');
  expect(JSON.parse(line)).toMatchObject({
    level: 'error',
    event: 'config_unavailable',
    reason: `CRM_TOKEN_ARN: access denied (AccessDeniedException): the role needs ssm:GetParameter on ${parameter('crm')}, and kms:Decrypt where it has a key of its own`,
  });
});

describe('{{ env "X" }} is the value of X, and the log names each one that holds the ARN of a secret', () => {
  const variables = {
    CRM_TOKEN: parameter('crm'),
    TOPIC: 'arn:aws:secretmanager:eu-central-1:111122223333:secret:forms-AbCdEf',
    KEY_ARN: parameter('key'),
    // No config uses it.
    DB_PASSWORD: parameter('db'),
  };
  const expectWarned = (log: string) => {
    const lines = log.split('\n').filter((line) => line.includes('variables_hold_arns'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: expect.any(String),
        level: 'warn',
        event: 'variables_hold_arns',
        variables: ['CRM_TOKEN', 'TOPIC'],
      },
    ]);
    expect(log).not.toMatch(/arn:/);
  };

  test('in a function', async () => {
    const { secrets, sink, env } = await stage({}, variables);
    const lambda = await startLambda({ env });
    onTestFinished(lambda.close);
    expect(await lambda.init).toBe('ready');
    expect((await lambda.invoke(submission)).result.statusCode).toBe(200);
    expect(Object.fromEntries(new URLSearchParams(sink.requests[0]?.bytes.toString()))).toEqual({
      crm: variables.CRM_TOKEN,
      plain: variables.TOPIC,
      arn: variables.KEY_ARN,
    });
    expect(secrets.asked).toEqual([]);
    expectWarned(lambda.log());
  });

  test('in relay serve', async () => {
    const { env } = await stage({}, variables);
    const log: string[] = [];
    await served(env, (text) => log.push(text));
    await expect.poll(() => log.join('')).toContain('variables_hold_arns');
    expectWarned(log.join(''));
  });

  test('in relay doctor', async () => {
    const { env } = await stage({}, variables);
    const { stdout } = await program(['doctor', '--json'], env);
    const { diagnoses } = JSON.parse(stdout) as { diagnoses: { subject: string; remedy?: string }[] };
    expect(diagnoses.find(({ subject }) => subject === 'CRM_TOKEN')?.remedy).toBe(
      'Set CRM_TOKEN_ARN to the ARN instead, and unset CRM_TOKEN.',
    );
  });
});

/** What the built program says, with its end. */
async function program(args: readonly string[], env: Readonly<Record<string, string>>) {
  const run = promisify(execFile)(process.execPath, [path('dist/relay.cjs'), ...args], { env });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

async function served(env: Readonly<Record<string, string>>, onLog: (text: string) => void = () => {}) {
  const child = spawn(process.execPath, [path('dist/relay.cjs'), 'serve'], {
    env: { HOST: '127.0.0.1', PORT: '0', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stderr.setEncoding('utf8').on('data', onLog);
  const line = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => resolve(`exit code ${code}`));
  });
  return /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? line;
}

describe('relay serve', () => {
  test('asks once, and again when it is throttled', async () => {
    const { secrets, sink, env } = await stage(
      {
        [parameter('crm')]: { error: 'ThrottlingException', times: 1 },
        [secret('forms-AbCdEf')]: 'of a file\n',
        [parameter('token')]: tokenSecret,
      },
      {
        CRM_TOKEN_ARN: parameter('crm'),
        TOPIC_ARN: secret('forms-AbCdEf'),
        FORM_TOKEN_SECRET_ARN: parameter('token'),
      },
    );
    const origin = await served(env);
    const answer = await fetch(`${origin}/api/v1/submit/contact`, {
      method: 'POST',
      body: new URLSearchParams('name=Ada'),
    });
    expect(answer.status).toBe(200);
    // A line break at the end is no part of it.
    expect(sink.requests[0]?.bytes.toString()).toBe('crm=at+last&plain=of+a+file');
    const asked = (arn: string) => secrets.asked.filter((one) => one === arn).length;
    expect([asked(parameter('token')), asked(secret('forms-AbCdEf')), asked(parameter('crm'))]).toEqual([
      1, 1, 2,
    ]);
  });

  test.each<[held: Parameters<typeof startSecrets>[0], said: string]>([
    [
      { [parameter('crm')]: { error: 'InternalServerError', status: 500 } },
      'SSM answered 500 (InternalServerError)',
    ],
    [{ [parameter('crm')]: '' }, `${parameter('crm')} holds no text`],
  ])(
    'does not start without a secret of its own: %j',
    async (held, said) => {
      const { env } = await stage(held, { KEEP_SECRET_ARN: parameter('crm') });
      const { code, stdout, stderr } = await program(['serve'], { PORT: '0', ...env });
      // What finding the credentials took is taken off.
      const told = stderr.replace(/within [34]\d{3} ms/, 'within 4000 ms');
      expect({ code, stdout, stderr: told }).toEqual({
        code: 1,
        stdout: '',
        stderr: `KEEP_SECRET_ARN: ${said}\n`,
      });
    },
    20_000,
  );

  test.each(['arn:aws:secretmanagers:eu-central-1:1:secret:a', '"arn:aws:ssm:x"'])(
    'does not start without a secret of its own: KEEP_SECRET_ARN=%s',
    async (arn) => {
      const { env } = await stage({}, { KEEP_SECRET_ARN: arn });
      const { code, stderr } = await program(['serve'], { PORT: '0', ...env });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^KEEP_SECRET_ARN: this is no ARN of a parameter or a secret/),
      });
    },
  );

  test('fetches a secret that a changed config needs, and keeps the last good config without it', async () => {
    const { sink, env } = await stage(
      { [parameter('crm')]: { error: 'AccessDeniedException', times: 1 } },
      { CRM_TOKEN_ARN: parameter('crm') },
    );
    const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'webform.yaml');
    const { CONFIG_INLINE: needing, ...rest } = env;
    await writeFile(file, needing.replace(/env "CRM_TOKEN"/, 'env "CRM_TOPIC"'));
    const log: string[] = [];
    const origin = await served({ ...rest, CONFIG_FILE: file, CACHE_TTL: '0s' }, (text) => log.push(text));
    const send = () =>
      fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body: new URLSearchParams('name=Ada') });
    expect((await send()).status).toBe(200);
    await writeFile(file, needing);
    expect((await send()).status).toBe(200);
    await expect.poll(() => log.join('')).toContain('CRM_TOKEN_ARN: access denied');
    await expect
      .poll(async () => (await send()).status && sink.requests.at(-1)?.bytes.toString())
      .toContain('crm=at+last');
  });
});

test('relay doctor examines what the ARN stands for', async () => {
  const { env } = await stage(
    { [parameter('token')]: 'short', [parameter('crm')]: 'from-ssm' },
    { FORM_TOKEN_SECRET_ARN: parameter('token'), CRM_TOKEN_ARN: parameter('crm') },
  );
  const { stdout } = await program(['doctor', '--json'], {
    ...env,
    CONFIG_INLINE: env.CONFIG_INLINE.replace('outputs:', 'spam: {min_fill_seconds: 3}\n    outputs:'),
  });
  const { diagnoses } = JSON.parse(stdout) as { diagnoses: { subject: string; says: string }[] };
  expect(diagnoses.find(({ subject }) => subject === 'FORM_TOKEN_SECRET')?.says).toContain(
    'has 5 characters, which can be guessed',
  );
  expect(diagnoses.find(({ subject }) => subject === 'CRM_TOKEN')?.says).toBe(
    'set, for forms.contact.outputs[0].static.crm',
  );
});

test('whatever stands in a variable, what is asked for is an ARN that stands there, and nothing of an answer is told', async () => {
  const told: string[] = [];
  const secrets = http.createServer(async (request, response) => {
    const { Name, SecretId } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    told.push(Name ?? SecretId);
    response.end(
      JSON.stringify({
        Parameter: { Value: 'told' },
        SecretString: '{"a":"told","b":[],"__proto__":{"c":"told"}}',
      }),
    );
  });
  const origin = `http://127.0.0.1:${await listen(secrets)}`;
  onTestFinished(() => {
    secrets.closeAllConnections();
    secrets.close();
  });
  const env = { ...account, AWS_ENDPOINT_URL: origin };
  const piece = fc.oneof(
    fc.constantFrom('arn:aws', ':ssm', ':secretsmanager', ':eu-central-1', ':evil.example/', ':111122223333'),
    fc.constantFrom(
      ':parameter/a',
      ':secret:a-AbCdEf',
      '#a',
      '#b',
      '#__proto__',
      '#toString',
      '\n',
      ':1',
      '/..',
      '@',
      '-cn',
    ),
  );
  const sound = fc.tuple(
    fc.constantFrom(parameter('a'), secret('a-AbCdEf')),
    fc.array(piece, { maxLength: 2 }),
  );
  const value = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    sound.map(([arn, more]) => arn + more.join('')),
  );
  const arns = new Set<string>();
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      told.length = 0;
      const reader = secretReader({ ...env, CRM_TOKEN_ARN: text, CRM: text });
      const read = await reader?.(new Set(['CRM_TOKEN', 'CRM']));
      if (read && !read.ok) {
        expect(read.error).toMatch(/^CRM_TOKEN_ARN: /);
        expect(read.error).not.toContain('told');
      } else if (read) {
        expect([{ CRM_TOKEN: 'told' }, { CRM_TOKEN: expect.stringContaining('"a"') }]).toContainEqual(
          read.value,
        );
      }
      expect(told).toEqual(told.length === 0 ? [] : text.split('#').slice(0, 1));
      if (told.length > 0) arns.add(text);
    }),
    runs(50, 0.05),
  );
  // Proof that some were asked for.
  expect(arns.size).toBeGreaterThan(5);
});
