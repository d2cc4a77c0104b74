/** `relay dev` as installed: the built program, a file, signals. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { listen, tempFolder } from '../../../../test/support/index.ts';
import type { StudioState, Written } from '../../src/state.ts';
import { type Dev, run, startDev } from './sign_in.ts';

const config = (title: string) =>
  `forms: {contact: {title: ${title}, fields: [], outputs: [{type: http_post, url: "https://hooks.acme.dev/", static: {a: b}}]}}`;

async function folder(text: string | Buffer = config('First')): Promise<string> {
  const path = tempFolder();
  await writeFile(join(path, 'webform.yaml'), text);
  return path;
}

/** Starts a studio with a file. `prepare`: changes the file first. */
async function open(text?: string | Buffer, prepare: (file: string) => Promise<void> = async () => {}) {
  const cwd = await folder(text);
  const file = join(cwd, 'webform.yaml');
  await prepare(file);
  return { cwd, file, studio: await startDev(cwd) };
}

/** Resolves when the page's events report that the config was read again. */
async function changed({ origin, cookie }: Dev): Promise<() => Promise<void>> {
  const stream = await new Promise<http.IncomingMessage>((resolve) =>
    http.get(`${origin}/studio/events`, { headers: { cookie } }, resolve),
  );
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  stream.on('error', () => undefined);
  return async () => {
    const count = () => text.split('event: changed').length;
    for (const before = count(); count() === before; ) await once(stream, 'data');
  };
}

const stateOf = async ({ ask }: Dev, query = ''): Promise<StudioState> =>
  JSON.parse(await (await ask(`/studio/state${query}`)).text());
const page = async (studio: Dev) => JSON.stringify(await stateOf(studio));

test('prints in one line what to open, with which config, and that nothing leaves the machine', async () => {
  const { studio } = await open();
  expect(studio.line).toMatch(
    /^Open http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]{43} for the studio with webform\.yaml \(1 form\); nothing leaves this machine$/,
  );
  expect(await page(studio)).toContain('First');
});

test('in an empty folder, starts with a new file, and does not mention placeholders', async () => {
  const cwd = tempFolder();
  const { child, line, lines } = await startDev(cwd);
  const wrong: Buffer[] = [];
  child.stderr?.on('data', (text) => wrong.push(text));
  expect(line).toContain('webform.yaml (a new file)');
  await writeFile(join(cwd, 'webform.yaml'), config('First').replace('acme.dev', 'example.com'));
  await writeFile(join(cwd, 'webform.yaml'), 'forms: [');
  await expect.poll(() => String(Buffer.concat(wrong))).toMatch(/^webform\.yaml:1:\d+: [^\n]*\n/);
  await writeFile(join(cwd, 'webform.yaml'), config('First').replace('acme.dev', 'example.com'));
  expect((await once(lines, 'line'))[0]).toBe('webform.yaml loads again (1 form)');
  expect(String(Buffer.concat(wrong))).not.toContain('example.com');
});

test("prints the config's mistakes in the terminal as it changes, and when it loads again", async () => {
  const { file, studio } = await open('forms: [');
  const { child, line, lines } = studio;
  expect(line).toContain('(does not load yet)');
  const said = createInterface({ input: child.stderr });
  const wrong: string[] = [];
  said.on('line', (text) => wrong.push(text));
  await expect.poll(() => wrong[0]).toMatch(/^webform\.yaml:1:\d+: /);
  await writeFile(file, config('Good'));
  expect((await once(lines, 'line'))[0]).toBe('webform.yaml loads again (1 form)');
  wrong.length = 0;
  await writeFile(file, config('Bad').replace('title', 'titel'));
  await expect.poll(() => wrong[0]).toContain('did you mean title?');
});

test('shows the config as saved: in place, replaced by another file, briefly missing, and broken', async () => {
  const { file, studio } = await open();
  const next = await changed(studio);
  const pageAfter = async (save: () => Promise<unknown>) => {
    const seen = next();
    await save();
    await seen;
    return page(studio);
  };
  expect(await pageAfter(() => writeFile(file, config('Second')))).toContain('Second');
  await writeFile(`${file}~`, config('Third'));
  expect(await pageAfter(() => rename(`${file}~`, file))).toContain('Third');
  expect(await pageAfter(() => unlink(file))).toMatch(/"refresh_failed".*Third/s);
  expect(await pageAfter(() => writeFile(file, config('Fourth')))).toContain('Fourth');
  expect(await pageAfter(() => writeFile(file, 'forms: ['))).toMatch(/"refresh_failed".*Fourth/s);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends it at once, with exit code 0, even with an open page and a submission in progress',
  async (signal) => {
    const silent = http.createServer();
    const port = await listen(silent);
    onTestFinished(() => void silent.close());
    const text = config('First').replace('https://hooks.acme.dev/', `http://127.0.0.1:${port}/`);
    const { child, origin, ask } = await startDev(await folder(text), ['--live']);
    const events = await ask('/studio/events');
    const body = new URLSearchParams();
    const sent = fetch(`${origin}/api/v1/submit/contact`, { method: 'POST', body }).catch(() => 'cut');
    let received = '';
    for await (const chunk of events.body ?? []) {
      received += Buffer.from(chunk).toString();
      if (received.includes('event: busy')) break;
    }
    const exited = once(child, 'exit');
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    expect(await sent).toBe('cut');
  },
);

describe('saving from the page', () => {
  const post = async ({ origin, ask }: Dev, path: string, body = '') => {
    const answer = await ask(`/studio/config${path}`, { method: 'POST', headers: { origin }, body });
    const { state, ...outcome } = (await answer.json()) as Written;
    return { ...state.file, ...outcome };
  };

  test('replaces the file atomically, keeps its mode, and leaves no other file behind', async () => {
    const { cwd, file, studio } = await open(undefined, (file) => chmod(file, 0o640));
    await post(studio, '/draft', config('Second'));
    expect(await readFile(file, 'utf8')).toBe(config('First'));
    expect(await post(studio, '/save')).toMatchObject({ isDraft: false });
    expect(await readFile(file, 'utf8')).toBe(config('Second'));
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readdir(cwd)).toEqual(['webform.yaml']);
  });

  test('follows a symbolic link', async () => {
    const { cwd, file, studio } = await open(undefined, async (file) => {
      await rename(file, join(file, '../real.yaml'));
      await symlink('real.yaml', file);
    });
    await post(studio, '/draft', config('Second'));
    await post(studio, '/save');
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(cwd, 'real.yaml'), 'utf8')).toBe(config('Second'));
  });

  test('notices what another editor has just saved', async () => {
    const { file, studio } = await open();
    await post(studio, '/draft', config('Second'));
    await writeFile(file, config('Theirs'));
    expect(await post(studio, '/save')).toMatchObject({
      isDraft: true,
      isChanged: true,
      overtakenBy: config('Theirs'),
    });
    expect(await readFile(file, 'utf8')).toBe(config('Theirs'));
  });

  test.each([
    ['that is read-only', config('First'), 0o444, 'the file is read-only'],
    [
      'in another encoding',
      Buffer.from(`${config('First')} # Grüße`, 'latin1'),
      0o644,
      'the file has bytes that are not UTF-8, which saving here would destroy',
    ],
  ])('does not write a file %s', async (_, text, mode, trouble) => {
    const { cwd, file, studio } = await open(text, (file) => chmod(file, mode));
    await post(studio, '/draft', config('Second'));
    for (const save of ['/save', '/save?anyway'])
      expect(await post(studio, save)).toMatchObject({ isDraft: true, trouble });
    expect(await readFile(file)).toEqual(Buffer.from(text));
    expect(await readdir(cwd)).toEqual(['webform.yaml']);
  });

  test.skipIf(process.getuid?.() !== 0)('leaves the file to its owner', async () => {
    const { file, studio } = await open(undefined, (file) => chown(file, 65_534, 65_534));
    await post(studio, '/draft', config('Second'));
    expect(await post(studio, '/save')).toMatchObject({ isDraft: false });
    expect(await stat(file)).toMatchObject({ uid: 65_534, gid: 65_534 });
  });

  test('says why saving failed', async () => {
    const { cwd, file, studio } = await open();
    await post(studio, '/draft', config('Second'));
    await unlink(file);
    expect(await post(studio, '/save')).toMatchObject({ isDraft: true, overtakenBy: '' });
    await mkdir(file);
    expect(await post(studio, '/save')).toMatchObject({ isDraft: true, trouble: 'this is not a file' });
    expect((await stateOf(studio)).file).toMatchObject({
      text: config('Second'),
      locked: expect.stringContaining('this is a directory, not a file'),
    });
    await rm(cwd, { recursive: true });
    expect(await post(studio, '/save?anyway')).toMatchObject({
      isDraft: true,
      trouble: 'the folder does not exist',
    });
  });
});

describe('errors go to stderr', () => {
  const outcome = async (child: ChildProcess) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    const [code] = await once(child, 'close');
    return { code, said };
  };

  test('a port that is in use', async () => {
    const other = http.createServer();
    const port = await listen(other);
    onTestFinished(() => void other.close());
    expect(await outcome(run(await folder(), ['dev', '--port', String(port)]))).toEqual({
      code: 1,
      said: `cannot use port ${port} (another program uses it); choose another with --port or PORT\n`,
    });
  });

  test.each(['http', '65536'])('an invalid port: %s', async (port) => {
    const { code, said } = await outcome(run(await folder(), ['dev', `--port=${port}`]));
    expect(code).toBe(2);
    expect(said).toContain('Expected a port from 0 to 65535.');
  });
});
