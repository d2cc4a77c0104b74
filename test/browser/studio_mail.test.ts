/** "Connect mail" in the studio: with a real Postfix with SASL, in a real folder, by mouse and keyboard. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDev } from '../../apps/studio/test/studio/sign_in.ts';
import { hasPostfix, startPostfix } from '../support/postfix.ts';
import { tempFolder } from '../support/temp_folder.ts';
import { describeInBrowser, openPage, type Page, violationsIn } from './stage.ts';

const postfix = hasPostfix ? await startPostfix(() => 'DUNNO') : undefined;
afterAll(() => postfix?.close());
const { submission = 0 } = postfix?.ports ?? {};
const password = postfix?.credentials.password ?? '';
const authority = fileURLToPath(new URL('../support/ca.pem', import.meta.url));

const fields =
  '    fields: [{name: name, label: Name, required: true, autocomplete: name}, {name: email, type: email}]';
const mailTo = (port: number) => `forms:
  contact:
${fields}
    outputs:
      - {type: smtp, host: 127.0.0.1, port: ${port}, tls: required, username: relay@firm.example, password: '{{ env "SMTP_PASSWORD" }}', from: relay@firm.example, to: office@firm.example, html: true}
`;

async function open(config: string, env: Readonly<Record<string, string>> = {}) {
  const folder = tempFolder();
  writeFileSync(join(folder, 'webform.yaml'), config);
  const dev = await startDev(folder, [], { NODE_EXTRA_CA_CERTS: authority, ...env });
  const check = async (
    values: object,
    act = 'check',
    headers: Record<string, string> = { origin: dev.origin },
  ) => {
    const body = JSON.stringify({ form: 'contact', output: 0, values });
    const answer = await dev.ask(`/studio/connect/${act}`, { method: 'POST', headers, body });
    return answer.ok ? answer.json() : answer.status;
  };
  const secrets = () => readFileSync(join(folder, '.env'), 'utf8');
  return { ...dev, folder, check, secrets };
}

const findings = (page: Page) => page.locator('.findings');

describeInBrowser('connect mail', () => {
  test.skipIf(!postfix)(
    'from Gmail’s example to a mail in the mailbox; the password is only in .env',
    async () => {
      const { folder, address, secrets, ask } = await open(
        `forms:\n  contact:\n${fields}\n    outputs: [{type: http_post, url: "https://your-server.invalid/", mapping: "*"}]\n`,
      );
      execFileSync('git', ['init', '--quiet', folder]);
      writeFileSync(join(folder, '.env'), '# ours\nOTHER="a\nb" # kept', { mode: 0o644 });
      const page = await openPage({
        viewport: { width: 1440, height: 900 },
        reducedMotion: 'reduce',
        url: address,
      });
      await page.locator('#build-outputs').click();
      await page.getByRole('button', { name: 'Add an output' }).click();
      await page.getByLabel('Search outputs').fill('gmail');
      await page
        .getByRole('button', { name: /^Gmail/ })
        .first()
        .click();
      const mailbox = page.getByLabel('Your address');
      await mailbox.fill('relay@firm.example');
      await page.getByLabel('Provider').selectOption({ label: 'Another server' });
      await page.getByRole('textbox', { name: /^Your mail server/ }).fill('127.0.0.1');
      await page.getByRole('textbox', { name: /^Port/ }).fill(String(submission));
      const secret = page.getByLabel('Password', { exact: true });
      await secret.fill('wrong');
      await secret.press('Enter');
      await findings(page).getByText('authentication refused: 535 5.7.8').waitFor();
      expect(secrets()).not.toContain('wrong');
      expect(await violationsIn(page, '.connect')).toEqual([]);
      await secret.fill(password);
      await page.getByRole('button', { name: 'Send me a test' }).click();
      await findings(page).getByText('the test was sent to relay@firm.example').waitFor();
      expect(await secret.inputValue()).toBe('');
      await page.getByText('SMTP_PASSWORD is set.').waitFor();
      expect(await violationsIn(page, '.connect')).toEqual([]);

      expect(secrets()).toBe(`# ours\nOTHER="a\nb" # kept\nSMTP_PASSWORD='${password}'\n`);
      expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('.env\n');
      const everything = (await (await ask('/studio/state')).text()) + (await page.content());
      const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
      expect(everything + stored).not.toContain(password);
      await expect
        .poll(() => postfix?.mails().at(-1))
        .toMatch(/^Subject: \[Test\] Message from Ada Lovelace\r?\n[\s\S]*text\/html/m);
    },
  );

  test.skipIf(!postfix)(
    'ten wrong passwords reach the server three times; the right one waits for its turn',
    async () => {
      const { check, folder } = await open(mailTo(submission));
      const answers = [];
      for (let number = 0; number < 10; number += 1)
        answers.push(await check({ SMTP_PASSWORD: `wrong ${number}` }));
      expect(answers.map(({ trouble, findings }) => trouble ?? findings[0].says.slice(0, 22))).toEqual([
        ...Array(3).fill('authentication refused'),
        ...Array(7).fill(
          expect.stringMatching(/rejected 3 passwords in a row.* the next try waits \d+ s\.$/),
        ),
      ]);
      expect(await check({ SMTP_PASSWORD: 'wrong 0' })).toMatchObject({
        trouble: expect.stringContaining('has just rejected this password'),
      });
      expect(existsSync(join(folder, '.env'))).toBe(false);
    },
  );

  test('a server that hangs, and one with another certificate, are reported as such', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const hanging = await open(mailTo(port));
    expect(await hanging.check({ SMTP_PASSWORD: 'secret' })).toMatchObject({
      findings: [
        {
          level: 'failure',
          says: expect.stringMatching(/no answer|timed out|within/),
          remedy: expect.any(String),
        },
      ],
      canSave: true,
    });
    if (!postfix) return;
    const unknown = await open(mailTo(submission), { NODE_EXTRA_CA_CERTS: '' });
    expect(await unknown.check({ SMTP_PASSWORD: 'secret' })).toMatchObject({
      findings: [{ level: 'failure', says: expect.stringContaining('certificate not trusted') }],
    });
  });

  test('only the studio’s own page may ask, only for variables that the output reads, and never to override the environment', async () => {
    const { check, ask, origin, folder } = await open(mailTo(9), { SMTP_PASSWORD: 'from elsewhere' });
    const forged = { origin: 'http://127.0.0.1:1' };
    expect(await check({}, 'check', forged)).toBe(403);
    expect(await check({}, 'check', {})).toBe(403);
    expect((await ask('/studio/connect/check')).status).toBe(404);
    expect(await check({ NODE_OPTIONS: '--inspect' })).toMatchObject({
      trouble: expect.stringContaining('has no setting NODE_OPTIONS'),
    });
    const kept = JSON.stringify({ form: 'contact', output: 0, values: { SMTP_PASSWORD: 'x' }, anyway: true });
    const saved = await ask('/studio/connect/check', { method: 'POST', headers: { origin }, body: kept });
    expect(await saved.json()).toMatchObject({
      trouble: expect.stringContaining('SMTP_PASSWORD is set in the environment'),
    });
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });
});
