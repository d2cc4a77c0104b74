/** Secrets by ARN (D138), as the built function and the built program read them. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSecretArns } from '../../src/runtimes/read_secret_arns.ts';
import { secretVariables } from '../../src/runtimes/secret_arns.ts';
import { SettingError } from '../../src/settings/settings.ts';
import { httpSink } from '../spec/stage.ts';
import { parameter, type Secrets, secret, startSecrets } from '../support/aws/secrets.ts';
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
  test('reads what its variables name, once, before its first request', async () => {
    const { secrets, sink, env } = await stage(
      {
        [parameter('forms/crm')]: 'from-ssm',
        [secret('forms-AbCdEf')]: JSON.stringify({ token: tokenSecret, keep: 'other' }),
      },
      {
        CRM_TOKEN: parameter('forms/crm'),
        FORM_TOKEN_SECRET: `${secret('forms-AbCdEf')}#token`,
        KEEP_SECRET: `${secret('forms-AbCdEf')}#keep`,
        // Somebody wants these as they are.
        KEY_ARN: secret('forms-AbCdEf'),
        TOPIC: topic,
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

test('a function whose secret cannot be had is not made, and the log says which', async () => {
  const { env } = await stage(
    {
      [parameter('denied')]: { error: 'AccessDeniedException' },
      [secret('forms-AbCdEf')]: 'no JSON, but a secret',
    },
    {
      CRM_TOKEN: parameter('denied'),
      FORM_TOKEN_SECRET: parameter('missing'),
      KEEP_SECRET: `${secret('forms-AbCdEf')}#keep`,
      RECEIPT_SECRET: 'arn:aws:ssm:eu-central-1:111122223333:paramter/receipt',
    },
  );
  const lambda = await startLambda({ env });
  onTestFinished(lambda.close);
  const problem = await lambda.init;
  const lines = [
    `CRM_TOKEN: access denied (AccessDeniedException): the role needs ssm:GetParameter on ${parameter('denied')}, and kms:Decrypt where it has a key of its own`,
    `FORM_TOKEN_SECRET: there is no ${parameter('missing')} (ParameterNotFound)`,
    `KEEP_SECRET: ${secret('forms-AbCdEf')} is no JSON object with text under "keep", which stands behind the #`,
    'RECEIPT_SECRET: this is no ARN of a parameter or a secret, such as arn:aws:ssm:eu-central-1:111122223333:parameter/forms/token or arn:aws:secretsmanager:eu-central-1:111122223333:secret:forms-AbCdEf',
  ];
  expect(problem === 'ready' ? [] : problem.errorMessage.split('\n').toSorted()).toEqual(lines);
  const [line = ''] = lambda.log().split('\n');
  expect(JSON.parse(line)).toMatchObject({ level: 'error', event: 'start_failed' });
  expect(lambda.log()).not.toMatch(/no JSON, but|do not tell/);
});

/** Each has something that would be sent as it is, as if it were the secret. */
const mistyped: Readonly<Record<string, string>> = {
  CRM_TOKEN: 'arn:aws:secretsmanager:eu-west-1:123:secret:forms-AbCdEf',
  BAD_NAME: 'arn:aws:secretmanager:eu-central-1:111122223333:secret:forms-AbCdEf',
  BAD_KIND: 'arn:aws:ssm:eu-central-1:111122223333:paramter/crm',
  BAD_SPACE: `${parameter('crm')} `,
  // Somebody may want these as they are.
  TOPIC: topic,
  KEY_ARN: 'arn:aws:ssm:eu-central-1:1:parameter/crm',
};
const warned = {
  level: 'warn',
  event: 'secret_arn_malformed',
  variables: ['CRM_TOKEN', 'BAD_NAME', 'BAD_KIND', 'BAD_SPACE'],
};

describe('a variable with an ARN that is none stays as it is, and the log names it', () => {
  const expectWarned = (log: string) => {
    const lines = log.split('\n').filter((line) => line.includes('secret_arn_malformed'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ time: expect.any(String), ...warned }]);
    expect(log).not.toMatch(/arn:/);
  };

  test('in a function', async () => {
    const { sink, env } = await stage({}, mistyped);
    const lambda = await startLambda({ env });
    onTestFinished(lambda.close);
    expect(await lambda.init).toBe('ready');
    expect((await lambda.invoke(submission)).result.statusCode).toBe(200);
    expect(sink.requests[0]?.bytes.toString()).toContain('crm=arn%3Aaws%3Asecretsmanager');
    expectWarned(lambda.log());
  });

  test.each(['1', '2'])('in relay serve with WORKERS=%s', async (WORKERS) => {
    const { env } = await stage({}, mistyped);
    const log: string[] = [];
    await served({ ...env, WORKERS }, (text) => log.push(text));
    await expect.poll(() => log.join('')).toContain('config_loaded');
    expectWarned(log.join(''));
  });

  test('unless the log has errors alone', async () => {
    const { env } = await stage({}, { ...mistyped, LOG_LEVEL: 'error' });
    const lambda = await startLambda({ env });
    onTestFinished(lambda.close);
    expect(await lambda.init).toBe('ready');
    expect(lambda.log()).toBe('');
  });
});

/** The files that a function has read when it is made. */
function filesOf(env: Readonly<Record<string, string>>): readonly string[] {
  const script = `require(${JSON.stringify(path('dist/lambda/lambda.cjs'))}).then(() => console.log(JSON.stringify(Object.keys(require.cache))))`;
  const out = execFileSync(process.execPath, ['-e', script], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  return JSON.parse(out.toString()).map((file: string) => file.replace(/.*\//, ''));
}

test('a function without such a variable reads nothing more', () => {
  const env = { CONFIG_INLINE: configFor('http://127.0.0.1:9/'), KEY_ARN: secret('a-AbCdEf'), TOPIC: topic };
  expect(filesOf(env).filter((file) => file.includes('secret'))).toEqual([]);
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
  test.each(['1', '2'])('with WORKERS=%s reads them once, a throttled one after a while', async (WORKERS) => {
    const { secrets, sink, env } = await stage(
      {
        [parameter('crm')]: { error: 'ThrottlingException', times: 1 },
        [secret('forms-AbCdEf')]: 'of a file\n',
      },
      { CRM_TOKEN: parameter('crm'), TOPIC: secret('forms-AbCdEf') },
    );
    const origin = await served({ ...env, WORKERS });
    const answer = await fetch(`${origin}/api/v1/submit/contact`, {
      method: 'POST',
      body: new URLSearchParams('name=Ada'),
    });
    expect(answer.status).toBe(200);
    // A line break at the end is no part of it.
    expect(sink.requests[0]?.bytes.toString()).toBe('crm=at+last&plain=of+a+file');
    expect(secrets.asked.toSorted()).toEqual([secret('forms-AbCdEf'), parameter('crm'), parameter('crm')]);
  });

  test.each<[held: Parameters<typeof startSecrets>[0], said: string]>([
    [
      { [parameter('crm')]: { error: 'InternalServerError', status: 500 } },
      'SSM answered 500 (InternalServerError)',
    ],
    [{ [parameter('crm')]: { error: 'ExpiredTokenException' } }, 'SSM answered 400 (ExpiredTokenException)'],
    [{ [parameter('crm')]: '' }, `${parameter('crm')} holds no text`],
    [{ [parameter('crm')]: 'a\0b' }, `${parameter('crm')} holds no text`],
    [{ [parameter('crm')]: 'late' }, 'cannot be read: no complete answer within 4000 ms'],
  ])(
    'does not start with %j',
    async (held, said) => {
      const { env } = await stage(held, { CRM_TOKEN: parameter('crm') });
      const { code, stdout, stderr } = await program(['serve'], { PORT: '0', ...env });
      // What finding the credentials took is taken off.
      const told = stderr.replace(/within [34]\d{3} ms/, 'within 4000 ms');
      expect({ code, stdout, stderr: told }).toEqual({ code: 1, stdout: '', stderr: `CRM_TOKEN: ${said}\n` });
    },
    20_000,
  );
});

test('relay doctor examines what the ARN stands for', async () => {
  const { env } = await stage({ [parameter('token')]: 'short' }, { FORM_TOKEN_SECRET: parameter('token') });
  const { stdout } = await program(['doctor', '--json'], {
    ...env,
    CONFIG_INLINE: env.CONFIG_INLINE.replace('outputs:', 'spam: {min_fill_seconds: 3}\n    outputs:'),
  });
  const { diagnoses } = JSON.parse(stdout) as { diagnoses: { subject: string; says: string }[] };
  expect(diagnoses.find(({ subject }) => subject === 'FORM_TOKEN_SECRET')?.says).toContain(
    'has 5 characters, which can be guessed',
  );
});

test('commands that only name variables ask nobody', async () => {
  const { secrets, env }: { secrets: Secrets; env: Readonly<Record<string, string>> } = await stage(
    { [parameter('token')]: 'late' },
    { FORM_TOKEN_SECRET: parameter('token'), CRM_TOKEN: parameter('missing') },
  );
  expect((await program(['--version'], env)).code).toBe(0);
  expect((await program(['webhook', 'secret'], env)).code).toBe(0);
  expect(secrets.asked).toEqual([]);
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
      const found = secretVariables({ CRM_TOKEN: text, CRM_ARN: text });
      const unread: string[] = [];
      const read = await readSecretArns(found, env, (names) => unread.push(...names)).catch(
        (error: unknown) => error,
      );
      if (read instanceof Error) {
        expect(read).toBeInstanceOf(SettingError);
        expect(read.message).toMatch(/^CRM_TOKEN: /);
        expect(read.message).not.toContain('told');
      } else
        expect([{}, { CRM_TOKEN: 'told' }, { CRM_TOKEN: expect.stringContaining('"a"') }]).toContainEqual(
          read,
        );
      expect(told).toEqual(told.length === 0 ? [] : text.split('#').slice(0, 1));
      // Whatever looks like one is read or told of.
      expect(unread).toEqual(told.length > 0 || found.length === 0 ? [] : ['CRM_TOKEN']);
      if (told.length > 0) arns.add(text);
    }),
    runs(200, 0.05),
  );
  // Proof that some were asked for.
  expect(arns.size).toBeGreaterThan(5);
});
