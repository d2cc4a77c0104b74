import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateX25519Identity } from 'age-encryption';
import { formHtml } from '../../../test/support/form_html.ts';
import { httpSink, tempFolder } from '../../../test/support/index.ts';
import { signWebhook } from '../../clients/src/webhook/signature.ts';
import { contentHash, publicKeys, receiptCode } from '../../senders/src/receipt/code.ts';
import { entryFiles } from '../../stored/test/entries.ts';
import { fillStore } from './kept_store.ts';
import { program } from './served.ts';
import { newTerminal, openTerminal } from './terminal.ts';

const config = readFileSync(new URL('../../../examples/contact-form/webform.yaml', import.meta.url), 'utf8');

interface Help {
  /** For example `relay config validate`. */
  readonly command: string;
  readonly text: string;
}

const section = (text: string, title: RegExp) =>
  new RegExp(`^${title.source}:\\n((?: {2}.*\\n?)+)`, 'm').exec(text)?.[1] ?? '';

/** The help of a command and its subcommands. */
async function helpOf(...path: readonly string[]): Promise<Help[]> {
  const { stdout: text } = await terminal.run(`relay ${path.join(' ')} --help`);
  const below = [...section(text, /Commands/).matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);
  const all = [{ command: ['relay', ...path].join(' '), text }];
  for (const name of below)
    if (name !== 'help' || path.length === 0) all.push(...(await helpOf(...path, name)));
  return all;
}

test('an alias runs its command', async () => {
  const { run } = await openTerminal();
  const aliased = all.filter(({ text }) => /^Usage: relay \w+\|/.test(text));
  expect(aliased.map(({ command }) => command)).toContain('relay kept');
  for (const { command, text } of aliased) {
    const alias = /\|(\w+)/.exec(text)?.[1];
    for (const { command: path, text } of all.filter((one) => `${one.command} `.startsWith(`${command} `)))
      expect((await run(`relay ${alias}${path.slice(command.length)} --help`)).stdout).toBe(text);
  }
});

test('a program in npx’s cache is called by its package, because npx would find another by its name', () => {
  const home = tempFolder();
  const bin = join(home, '_npx/4a288fa43e4cad12/node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(program, join(bin, 'relay'));
  const usage = (...packages: string[]) => {
    writeFileSync(join(bin, '../../package.json'), JSON.stringify({ _npx: { packages } }));
    return execFileSync(process.execPath, [join(bin, 'relay'), '--help'], { encoding: 'utf8' });
  };
  expect(usage('../my sites/form-relay-0.2.0.tgz')).toMatch(
    /^Usage: npx --package '..\/my sites\/form-relay-0.2.0.tgz' relay /,
  );
  expect(usage('node@24', 'form-relay')).toMatch(/^Usage: npx --package node@24 --package form-relay relay /);
});

const { close, ...terminal } = await newTerminal();
const all = await helpOf();
await close();
/** A submission in an archive that the examples look up. */
const archived = await entryFiles({
  id: '7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11',
  at: '2026-11-21T10:00:00.000Z',
  values: { name: ['Ada'] },
});

/** The lines under `Examples:`, without the explanations. */
const examples = all.flatMap(({ command, text }) =>
  [...section(text, /Examples?/).matchAll(/^ {2}([^#].*)$/gm)].map(([, line = '']) => ({ command, line })),
);

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

function receivedNow(): string {
  const body = '{"name":"Ada"}';
  const signed = signWebhook({
    id: 'a-0',
    timestamp: Math.floor(Date.now() / 1_000),
    body,
    secrets: [secret],
  });
  const headers = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
  return `${headers.join('\n')}\n\n${body}`;
}

/** No sign-in is needed before the relay prints where it listens. */
const team = `inbox:
  listen: 127.0.0.1:0
  url: http://127.0.0.1
  sign_in: {issuer: https://accounts.example.org, client_id: relay, client_secret_env: OIDC_SECRET}
  people: [{email: ada@example.org, may: [read]}]
  audit: .
`;

const servesForever = /^(\w+=\S+ )*relay .*\b(serve|dev|inbox|demo|mcp --http)\b/;
const needsAServer = /^relay health/;

describe('an example in the help can be typed as shown', () => {
  const [endless, ending] = [true, false].map((isEndless) =>
    examples.filter(({ line }) => servesForever.test(line) === isEndless && !needsAServer.test(line)),
  );

  /** The longest example of each long-running command. */
  const running = Object.values(
    Object.fromEntries(
      (endless ?? [])
        .toSorted((one, other) => one.line.length - other.line.length)
        .map((example) => [example.command, example] as const),
    ),
  );
  const pages = new Map<string, string>();

  /** A fake site as in the examples, and a webhook that it received just now. */
  const open = async (line: string, config: string) => {
    const page = pages.get(config) ?? (await formHtml(config, 'contact'));
    pages.set(config, page);
    const files = {
      'marked.jsonl': '{"text": "Two windows, please.", "label": "ham"}\n',
      'webform.yaml': config,
      'site/webform.yaml': config,
      'public/contact.html': page,
      'request.txt': receivedNow(),
      'relay.log': '',
      'clients/acme.yaml':
        'forms: {contact: {fields: [{name: email}], outputs: [{type: http_post, url: "http://127.0.0.1:9000/", mapping: "*"}]}}',
      'receipts.json': JSON.stringify({ keys: publicKeys([secret]) }),
      'key.txt': await generateX25519Identity(),
      ...Object.fromEntries([...archived].map(([path, bytes]) => [`archive/${path}`, bytes.toString()])),
    };
    const terminal = await openTerminal({
      env: {
        HOST: '127.0.0.1',
        PORT: '0',
        WEBHOOK_SECRET: secret,
        RECEIPT_SECRET: secret,
        OIDC_SECRET: secret,
        MCP_KEY: secret,
        SPAM_MODEL_KEY: secret,
        FORM_TOKEN_SECRET: secret,
        PUBLIC_URL: 'https://forms.example.com',
        CODE: receiptCode(secret, {
          form: 'contact',
          at: Date.now(),
          hash: contentHash(Object.entries({ name: ['Ada'], message: ['Hello'] })),
        }),
      },
      files: /^relay init(?!.*--deploy)/.test(line) ? { 'public/contact.html': page } : files,
    });
    if (/^relay places/.test(line)) {
      const course = `
  course:
    fields: [{name: workshop, type: select, options: [a]}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9000/", mapping: "*"}]
    places: 40
    option_places: {workshop: {a: 12}}
`;
      await writeFile(join(terminal.cwd, 'webform.yaml'), `counted_in: .\n${config.trimEnd()}${course}`);
    }
    if (/^relay canary/.test(line))
      await writeFile(
        join(terminal.cwd, 'webform.yaml'),
        config.replace('  contact:\n', '  contact:\n    canary: {every: 1h}\n'),
      );
    if (/^relay (link|ask) /.test(line))
      await writeFile(
        join(terminal.cwd, 'webform.yaml'),
        `counted_in: .\n${config.replace('  contact:\n', '  contact:\n    links: optional\n    ask: {name: Acme}\n    keys_env: [KEY]\n')}`,
      );
    if (!/^relay (kept|keep) /.test(line)) return terminal;
    const keeping = `keep: {in: kept}\n${config}`;
    await writeFile(join(terminal.cwd, 'webform.yaml'), keeping);
    await fillStore(join(terminal.cwd, 'kept'), keeping, [
      {
        form: 'contact',
        id: '7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11',
        at: Date.now(),
        values: { name: 'Ada' },
      },
    ]);
    // The server that the delivery is for is closed.
    if (/^relay kept deliver .*key.txt$/.test(line)) await terminal.run('relay kept drop --all --yes');
    return terminal;
  };

  /** The config, with a working output. */
  const configWithSink = async () => {
    const sink = await httpSink();
    return config.replace('http://127.0.0.1:9000', sink.origin);
  };

  test.each(ending ?? [])('$line', async ({ line }) => {
    const sends = /^relay (test|canary)\b/.test(line);
    const terminal = await open(line, sends ? await configWithSink() : config);
    // There is no terminal in which the command could ask.
    const typed = /^relay (test|ask)\b/.test(line) ? `${line} --yes` : line;
    // The assistant sends nothing and closes the connection.
    const { stderr, code } = await terminal.run(/\bmcp\b/.test(line) ? `${line} < /dev/null` : typed, [
      'bash',
    ]);
    // The doctor's findings depend on the machine, but its checks do not.
    if (/^relay doctor/.test(line)) expect([0, 1]).toContain(code);
    // There are no marks to learn from, and the command says so.
    else if (/^relay rules learn/.test(line)) expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
    // The link's expiry is printed on stderr, so that scripts can read the link from stdout.
    else if (/^relay (link|ask)/.test(line))
      expect({ stderr, code }).toEqual({
        stderr: expect.stringMatching(/works (once, )?until|^written: contact|id: s/),
        code: 0,
      });
    // The only delivery is not a dead letter.
    else
      expect({ stderr: stderr.replace(/^no dead letter matches.*\n/, ''), code }).toEqual({
        stderr: '',
        code: 0,
      });
  });

  test.each(running)('$line', async ({ line }) => {
    const stores = /\binbox\b/.test(line) ? 'keep: {in: kept}\n' : '';
    const terminal = await open(line, stores + (line.includes('--listen') ? team : '') + config);
    const onAnyPort = line.replace(/PORT=\d+/, 'PORT=0').replace(/--(port|http) \d+/, '--$1 0');
    const { stdout } = await terminal.run(
      `mkfifo printed; ${onAnyPort} > printed & grep -m 1 http:// printed; kill $!; wait`,
    );
    expect(stdout).toContain('http://');
  });
});
