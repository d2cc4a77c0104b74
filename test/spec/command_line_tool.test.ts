import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refused } from '../support/refused.ts';
import { tagsIn } from './read.ts';
import { httpSink } from './stage.ts';

const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** Name and text of the files that stand in the working directory. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts `relay` in a directory of its own. */
async function start(args: readonly string[], { env = {}, files = {} }: Options = {}): Promise<ChildProcess> {
  const cwd = await mkdtemp(join(tmpdir(), 'relay-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

/** What a command that ends by itself printed, and its exit code. */
async function run(args: string, options?: Options) {
  const child = await start(args.split(' ').filter(Boolean), options);
  return finished(child);
}

async function finished(child: ChildProcess) {
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text: string) => {
    printed.stdout += text;
  });
  child.stderr?.on('data', (text: string) => {
    printed.stderr += text;
  });
  const [code, signal] = await once(child, 'close');
  return { code: code ?? signal, ...printed };
}

const formOf = (fieldName: string) =>
  `{fields: [{name: ${fieldName}}], outputs: [{type: http_post, url: "https://example.com/", mapping: "*"}]}`;
const configOf = (...forms: string[]) =>
  `forms:\n${forms.map((name) => `  ${name}: ${formOf('name')}\n`).join('')}`;

describe('Command-line tool', () => {
  describe('form list', () => {
    test('prints all form names, one per line, sorted', async () => {
      const files = { 'webform.yaml': configOf('zebra', 'apple', 'mango', '"10"', '"9"', '"two words"') };
      const stdout = '10\n9\napple\nmango\ntwo words\nzebra\n';
      expect(await run('form list', { files })).toEqual({ code: 0, stdout, stderr: '' });
    });

    test('says nothing when its reader reads no further', async () => {
      const files = { 'webform.yaml': configOf(...Array.from({ length: 9_000 }, (_, n) => `form-${n}`)) };
      const child = await start(['form', 'list'], { files });
      child.stdout?.once('data', () => child.stdout?.destroy());
      let complaint = '';
      child.stderr?.on('data', (text: string) => {
        complaint += text;
      });
      const [code] = await once(child, 'exit');
      expect([code, complaint]).toEqual([0, '']);
    });

    test('prints nothing when there are no forms', async () => {
      const files = { 'webform.yaml': 'forms: {}' };
      expect(await run('form list', { files })).toEqual({ code: 0, stdout: '', stderr: '' });
    });
  });

  describe('form html', () => {
    test('prints the <form> element of the named form', async () => {
      const { code, stdout, stderr } = await run('form html contact', {
        files: { 'webform.yaml': configOf('contact', 'other') },
      });
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^<form[\s>].*<\/form>\s*$/s);
      expect(tagsIn(stdout)[0]?.attributes.action).toContain('/api/v1/submit/contact');
    });

    test('an unknown form is a failure that names it and the nearest one', async () => {
      const files = { 'webform.yaml': configOf('contact') };
      const { code, stdout, stderr } = await run('form html contcat', { files });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/"contcat".*did you mean contact/s);
    });
  });

  describe('config validate', () => {
    test('prints `ok`', async () => {
      const files = { 'webform.yaml': configOf('contact') };
      expect(await run('config validate', { files })).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
    });

    test('prints every error, with its place, and fails', async () => {
      const files = {
        'webform.yaml': `forms:
  contact:
    fields: [{name: name, type: emial}]
    outputs:
      - {type: http_post, url: "https://example.com/", on_error: retry}
`,
      };
      const { code, stdout, stderr } = await run('config validate', { files });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^webform\.yaml:3:33: forms\.contact\.fields\[0\]\.type: .*did you mean email/m);
      expect(stderr).toMatch(/^webform\.yaml:5:\d+: forms\.contact\.outputs\[0\]\.on_error: .*"retry"/m);
      expect(stderr).toMatch(/\^/);
    });

    test('prints warnings beside `ok`, and does not fail', async () => {
      const files = {
        'webform.yaml': `forms:
  contact:
    fields: [{name: name}]
    outputs:
      - {type: http_post, url: "https://example.com/", mapping: {a: nmae}, static: {b: "{{ .fields.other }}"}}
      - {type: carrier_pigeon}
`,
      };
      const { code, stdout, stderr } = await run('config validate', { files });
      expect([code, stdout]).toEqual([0, 'ok\n']);
      expect(stderr).toMatch(/^webform\.yaml:5:\d+: warning: .*"nmae"/m);
      expect(stderr).toMatch(/^webform\.yaml:5:\d+: warning: .*"other"/m);
      expect(stderr).toMatch(/^webform\.yaml:6:\d+: warning: .*"carrier_pigeon"/m);
    });

    test('never prints a secret', async () => {
      const files = {
        'webform.yaml': `forms: {contact: {fields: [], outputs: [
          {type: smtp, host: mail.test, to: nobody, username: hunter1, password: hunter2}],
          captcha: {provider: hcaptcha, secret: "{{ nosuch hunter3 }}"}}}`,
      };
      const { code, stdout, stderr } = await run('config validate', { files });
      expect(code).toBe(1);
      expect(stderr).toContain('captcha.secret');
      expect(stdout + stderr).not.toMatch(/hunter[123]/);
    });
  });

  describe('the config path', () => {
    const files = {
      'webform.yaml': configOf('from_default'),
      'env.yaml': configOf('from_env'),
      'option.yaml': configOf('from_option'),
    };

    test.each<[form: string, args: string, env: Record<string, string>]>([
      ['from_option', '--config option.yaml form list', { RELAY_CONFIG: 'env.yaml' }],
      ['from_option', '--config=option.yaml form list', {}],
      ['from_env', 'form list', { RELAY_CONFIG: 'env.yaml' }],
      ['from_default', 'form list', {}],
      ['from_default', 'form list', { RELAY_CONFIG: '' }],
    ])('%s: relay %s with %j', async (form, args, env) => {
      expect(await run(args, { env, files })).toEqual({ code: 0, stdout: `${form}\n`, stderr: '' });
    });

    test.each(['form list', 'form html contact', 'config validate'])(
      '%s fails when there is no such file, and names it',
      async (command) => {
        const { code, stdout, stderr } = await run(`--config nosuch.yaml ${command}`, { files });
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(/^nosuch\.yaml: there is no such file$/m);
      },
    );

    test.each(['form list', 'form html contact', 'config validate'])(
      '%s fails when the config does not load, and says where',
      async (command) => {
        const { code, stdout, stderr } = await run(command, { files: { 'webform.yaml': 'forms: [\n' } });
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(/^webform\.yaml:\d+:\d+: /m);
      },
    );
  });

  describe('exit codes', () => {
    const wrong =
      'form,config,form html,form html a b,form lsit,config check,nosuch,--nosuch form list,--config';
    test.each(['', ...wrong.split(',')])('2 for wrong usage: relay %s', async (args) => {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toBe('');
    });

    test.each(['--help', 'form --help', 'config validate --help', '--version'])(
      '0 for relay %s',
      async (args) => {
        const { code, stdout, stderr } = await run(args);
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout).not.toBe('');
      },
    );
  });

  describe('serve', () => {
    const local = { HOST: '127.0.0.1', PORT: '0' };

    /** A relay that listens, and the first line that it printed. */
    async function serving(args: string[], options: Options) {
      const child = await start([...args, 'serve'], { ...options, env: { ...local, ...options.env } });
      const ended = finished(child);
      const tooSoon = ended.then(({ stderr }) => {
        throw new Error(`the relay ended at once: ${stderr}`);
      });
      const firstOutput = once(child.stdout ?? child, 'data') as Promise<[string]>;
      const [line] = await Promise.race([firstOutput, tooSoon]);
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
      return { child, line, origin, ended };
    }

    const submit = (origin: string) =>
      fetch(`${origin}/api/v1/submit/contact`, {
        method: 'POST',
        body: new URLSearchParams({ name: 'Ann' }),
      });

    test('first prints where it listens, and with which config', async () => {
      const { line, origin } = await serving([], { files: { 'webform.yaml': configOf('contact', 'order') } });
      expect(line).toMatch(/^[^\n]*http:\/\/127\.0\.0\.1:\d+ [^\n]*webform\.yaml[^\n]*2 forms[^\n]*\n$/);
      expect((await fetch(`${origin}/api/v1/form/order`)).status).toBe(200);
    });

    test('listens even though the config does not load, says so, and answers 500', async () => {
      const { line, origin } = await serving([], { files: {} });
      expect(line).toContain('did not load');
      expect((await submit(origin)).status).toBe(500);
    });

    test.each<[form: string, args: string[], env: Record<string, string>]>([
      [
        'from_option',
        ['--config', 'option.yaml'],
        { CONFIG_INLINE: configOf('inline'), RELAY_CONFIG: 'env.yaml' },
      ],
      ['inline', [], { CONFIG_INLINE: configOf('inline'), CONFIG_FILE: 'env.yaml' }],
      ['from_file', [], { CONFIG_FILE: 'file.yaml', RELAY_CONFIG: 'env.yaml' }],
      ['from_env', [], { RELAY_CONFIG: 'env.yaml' }],
    ])('serves the form %s with %j and %j', async (form, args, env) => {
      const { origin } = await serving(args, {
        env,
        files: {
          'webform.yaml': configOf('from_default'),
          'env.yaml': configOf('from_env'),
          'file.yaml': configOf('from_file'),
          'option.yaml': configOf('from_option'),
        },
      });
      expect((await fetch(`${origin}/api/v1/form/${form}`)).status).toBe(200);
    });

    test.each(['SIGTERM', 'SIGINT'] as const)(
      '%s finishes what is in flight, and exits 0',
      async (signal) => {
        let deliver = () => {};
        const held = new Promise<void>((resolve) => {
          deliver = resolve;
        });
        let taken = () => {};
        const isTaken = new Promise<void>((resolve) => {
          taken = resolve;
        });
        const sink = await httpSink({
          answer: async () => {
            taken();
            await held;
            return {};
          },
        });
        const config = configOf('contact').replaceAll('https://example.com/', sink.origin);
        const { child, origin, ended } = await serving([], { files: { 'webform.yaml': config } });
        const answer = submit(origin);
        await isTaken;
        child.kill(signal);
        await refused(origin);
        deliver();
        expect((await answer).status).toBe(200);
        const { code, stderr } = await ended;
        expect(code).toBe(0);
        expect(sink.requests).toHaveLength(1);
        // The log is complete, one JSON line an event.
        const events = stderr
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).event);
        expect(events).toEqual(['config_loaded', 'submission']);
      },
    );

    test('a malformed setting stops the start, and every one is named', async () => {
      const env = { ...local, PORT: '80800', CACHE_TTL: 'soon', THROTTLE_RATE_LIMIT: 'fast' };
      const files = { 'webform.yaml': configOf('contact') };
      const { code, stdout, stderr } = await run('serve', { env, files });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^CACHE_TTL: .*^THROTTLE_RATE_LIMIT: .*^PORT: /ms);
      expect(stderr).not.toMatch(/^\s+at /m);
    });

    test('a port in use stops the start, and is named', async () => {
      const other = net.createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void other.close());
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const files = { 'webform.yaml': configOf('contact') };
      const { code, stdout, stderr } = await run('serve', { env: { ...local, PORT: String(port) }, files });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        new RegExp(
          `"config_loaded".*\\ncannot listen on 127\\.0\\.0\\.1:${port} \\(something else listens there\\); name another with HOST or PORT\\n$`,
        ),
      );
      expect(stderr).not.toMatch(/^\s+at /m);
    });
  });
});
