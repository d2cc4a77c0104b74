/** "Publish" in the studio: a real relay started and stopped on this machine, and what a server needs. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDev } from '../../apps/studio/test/studio/sign_in.ts';
import { startHttpSink, tempFolder } from '../support/index.ts';
import { describeInBrowser, openPage, violationsIn } from './stage.ts';

async function open() {
  const sink = await startHttpSink();
  const folder = tempFolder();
  const file = join(folder, 'webform.yaml');
  const config = `keep: {in: ${folder}/kept}
forms:
  quote:
    title: Ask for a quote
    keep: failed
    fields: [{name: name, label: Name, required: true}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", headers: {Authorization: '{{ env "CRM_TOKEN" }}'}}]
`;
  writeFileSync(file, config);
  writeFileSync(join(folder, '.env'), 'CRM_TOKEN=first\n');
  const dev = await startDev(folder);
  const page = await openPage({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    url: dev.address,
    // The studio exits in the first test.
    complains: /ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_REFUSED)/,
  });
  await page.getByRole('button', { name: 'Publish' }).click();
  return { ...dev, sink, folder, file, config, page };
}

const isRefused = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  );

describeInBrowser('publish', () => {
  test('on this machine: started, its form submitted, a broken file reported, and stopped with a studio that is killed', async () => {
    const { page, sink, file, config, child, folder } = await open();
    // The relay reads the .env when it starts.
    writeFileSync(join(folder, '.env'), 'CRM_TOKEN=second\n');
    await page.getByRole('button', { name: 'Start for this machine' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The relay accepts submissions.').waitFor();
    const link = page.locator('.publish-addresses a');
    const address = (await link.textContent()) ?? '';
    expect(new URL(address)).toMatchObject({ hostname: '127.0.0.1', pathname: '/f/quote' });
    const visitor = await openPage({ url: address });
    await visitor.getByLabel('Name').fill('Ada');
    await visitor.getByRole('button', { name: /Send/ }).click();
    await page.locator('.publish').getByText('http_post').waitFor();
    expect(await page.locator('.publish-lines').first().textContent()).toMatch(
      /quote: delivered.*http_post delivered/,
    );
    expect(sink.requests.map(({ headers }) => headers.authorization)).toEqual(['second']);
    expect(await violationsIn(page, '.publish')).toEqual([]);

    writeFileSync(file, 'forms: {');
    await page.getByText('The relay serves the previous version.').waitFor();
    expect((await fetch(address)).status).toBe(200);
    writeFileSync(file, config.replace('quote:', 'offer:'));
    await expect.poll(async () => (await fetch(address.replace('quote', 'offer'))).status).toBe(200);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(() => isRefused(address)).toBe(true);
  });

  test('on a server: files, commands and records have the owner’s values; the check from outside reports its result', async () => {
    const { page, folder } = await open();
    await page.getByRole('dialog').getByText('On a server').click();
    await page.getByLabel('Public name').fill('forms.acme.dev; rm -rf /');
    await page.getByLabel('Your address').fill('ada@acme.dev');
    await page.getByText('Enter the public host name').waitFor();
    await page.getByLabel('Public name').fill('forms.acme.dev');
    const steps = page.locator('.publish-steps');
    await expect.poll(() => steps.textContent()).toContain('PUBLIC_URL=https://forms.acme.dev');
    const commands = await steps.textContent();
    for (const name of ['FORM_TOKEN_SECRET', 'KEEP_SECRET', 'CRM_TOKEN'])
      expect(commands).toContain(`/secrets/${name}`);
    expect(commands).not.toMatch(/example\.com|SMTP_PASSWORD|acme\.example/);
    expect(await page.locator('.publish .notice').textContent()).toContain(
      'write keep: {in: /var/lib/form-relay}',
    );
    expect(await violationsIn(page, '.publish')).toEqual([]);
    for (const [target, place, holds] of [
      ['Kubernetes', 'images.acme.dev', '--from-literal CRM_TOKEN='],
      ['AWS Lambda', 'acme-forms', 'PublicUrl=https://forms.acme.dev'],
      ['Google Cloud Run', 'acme', 'gcloud secrets create form-relay-crm-token'],
      ['Fly.io', 'acme', 'fly apps create acme'],
      ['Cloudflare Workers', '', 'wrangler secret put CRM_TOKEN'],
      ['Docker Compose', '', 'CRM_TOKEN='],
    ] as const) {
      await page.getByLabel('Server', { exact: true }).selectOption({ label: target });
      if (place) await page.locator('.connect-pair input').last().fill(place);
      await expect.poll(() => steps.textContent()).toContain(holds);
      if (target === 'Cloudflare Workers')
        expect(await page.locator('.publish .notice').textContent()).toMatch(
          /^keep\.in: .*queue:\/\/KEPT\/ASIDE/,
        );
    }
    await page.getByRole('button', { name: 'Write them beside the config' }).click();
    await page.getByText(`Written into ${folder}.`).waitFor();
    expect(readFileSync(join(folder, 'deploy/compose/compose.yaml'), 'utf8')).toContain(
      'CRM_TOKEN: ${CRM_TOKEN:?',
    );
    expect(existsSync(join(folder, 'deploy/caddy/Caddyfile'))).toBe(true);
    writeFileSync(join(folder, 'deploy/caddy/Caddyfile'), 'mine');
    await page.getByRole('button', { name: 'Write them beside the config' }).click();
    await page.getByText('already exists with other content').waitFor();
    expect(readFileSync(join(folder, 'deploy/caddy/Caddyfile'), 'utf8')).toBe('mine');

    const outside = page.getByRole('form', { name: 'Check from outside' });
    await outside.getByRole('textbox').fill('https://example.com');
    await outside.getByRole('button', { name: 'Check' }).click();
    await outside.getByText('is an example; enter your own host name').waitFor();
    await page.getByRole('dialog').getByText('On this machine').click();
    await page.getByRole('button', { name: 'Start for this machine' }).click();
    const address = await page.locator('.publish-addresses a').textContent();
    await page.getByRole('dialog').getByText('On a server').click();
    await outside.getByRole('textbox').fill(new URL(address ?? '').origin);
    await outside.getByRole('button', { name: 'Check' }).click();
    await outside.getByText('an empty submission was rejected').waitFor();
    expect(await outside.locator('li').allTextContents()).toEqual([
      expect.stringMatching(/^ ?DNS/),
      expect.stringMatching(/Relay: ready/),
      expect.stringMatching(/Form: quote is available/),
      expect.stringMatching(/nothing was delivered/),
    ]);
  });
});
