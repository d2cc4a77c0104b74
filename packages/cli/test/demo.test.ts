/** `relay demo` as the built program: real components, made-up people, and nothing left at the end. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runRelay } from '../../../apps/inbox/test/stage.ts';
import { freePort } from '../../../test/support/kept_server.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';

test('relay demo has submissions of all kinds, accepts more, and deletes everything at the end', async () => {
  const cwd = tempFolder();
  const port = await freePort();
  const { child, exited } = runRelay(cwd, ['demo', '--port', `${port}`, '--no-open'], {
    TMPDIR: cwd,
    PORT: `${port}`,
  });
  const addresses: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    addresses.push(/http\S+/.exec(line)?.[0] ?? '');
    if (addresses.length === 2) break;
  }
  const [form = '', inbox = ''] = addresses;
  expect(new URL(form).port).toBe(`${port}`);
  expect(await (await fetch(form)).text()).toContain('Ask for a quote');
  const { headers } = await fetch(inbox, { redirect: 'manual' });
  const cookie = (headers.get('set-cookie') ?? '').split(';', 1)[0] as string;
  const total = async (query: string) => {
    const answer = await fetch(new URL(`/api/entries?from=0&count=1&${query}`, inbox), {
      headers: { cookie },
    });
    return ((await answer.json()) as { total: number }).total;
  };
  await expect.poll(() => total(''), { timeout: 20_000 }).toBe(200);
  for (const query of ['state=kept', 'state=dropped', 'state=doubted', 'search=نريد', 'search=treehouse'])
    await expect.poll(() => total(query), { timeout: 20_000, message: query }).toBeGreaterThan(0);
  const body = new URLSearchParams({ name: 'Zoe', email: 'zoe@visitor.example', work: 'Kitchen' });
  expect((await fetch(form.replace('/f/', '/api/v1/submit/'), { method: 'POST', body })).status).toBe(200);
  await expect.poll(() => total('search=zoe'), { timeout: 20_000 }).toBe(1);
  const [folder = ''] = readdirSync(cwd).filter((name) => name.startsWith('relay-demo-'));
  expect(readdirSync(join(cwd, folder, 'mails')).length).toBeGreaterThan(150);
  child.kill('SIGINT');
  await exited;
  expect(existsSync(join(cwd, folder))).toBe(false);
});

test('relay demo --keep accepts only a new folder', async () => {
  const cwd = tempFolder();
  const { exited } = runRelay(cwd, ['demo', '--keep', '.', '--no-open']);
  expect(await exited).toEqual([1, null]);
  expect(readdirSync(cwd)).toEqual([]);
});
