/** The page behind an approver’s link, in a browser. */
import { ada, stage as stageOf } from '../../packages/approvals/test/stage.ts';
import { describeInBrowser, isSound, openPage } from './stage.ts';

const boss = 'boss@example.com';

async function asked() {
  const at = await stageOf();
  const relay = await at.open();
  await relay.submit('trip', { ...ada, name: 'Ada Lovelace\u202e <b>' });
  return { ...at, relay, link: relay.origin + (await at.mailTo(boss)).link };
}

const looks = [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
] as const;

describeInBrowser('an approver’s page', () => {
  test.each([true, false])(
    'choosing and confirming decides, with the keyboard only (scripts: %s)',
    async (javaScriptEnabled) => {
      const { link, delivered } = await asked();
      const page = await openPage({ url: link, javaScriptEnabled });
      // Nothing is preselected for the approver.
      await page.getByRole('button', { name: 'Confirm' }).press('Enter');
      expect(await page.getByRole('radio', { name: 'Approve' }).isChecked()).toBe(false);
      expect(delivered()).toEqual([]);
      await page.getByRole('radio', { name: 'Approve' }).press('Space');
      await page.keyboard.press('Enter');
      await page.getByText(`Approved by ${boss}`).waitFor();
      await expect.poll(() => delivered().length).toBe(1);
      await page.goto(link);
      await page.getByText(`Approved by ${boss}`).waitFor();
      expect(await page.getByRole('button').count()).toBe(0);
    },
  );

  test.each(looks)('is accessible, $colorScheme, $viewport.width wide', async (look) => {
    const { link, delivered } = await asked();
    const page = await openPage({ url: link, ...look });
    const name = `${look.colorScheme}-${look.viewport.width}`;
    await isSound(page, `approve-${name}`);
    await page.getByText('Decline').click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText(`Declined by ${boss}`).waitFor();
    await isSound(page, `approve-declined-${name}`);
    expect(delivered()).toEqual([]);
  });
});
