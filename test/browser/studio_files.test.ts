import { expect, test } from 'vitest';
import { stage } from '../studio/stage.ts';
import { complaintsOf, describeInBrowser, isNotAboutFocus, openPage } from './stage.ts';
import { visit } from './visit_studio.ts';

const config = `
forms:
  apply:
    fields:
      - {name: email, type: email, required: true}
      - {name: cv, type: file, accept: [pdf, image], required: true}
      - {name: signed, type: signature, required: true}
      - {name: terms, type: consent, label: I agree}
    outputs: [{type: http_post, url: "https://hooks.acme.dev/apply", mapping: "*"}]
`;

const open = async (mode: string) => {
  const at = await stage({ config });
  const page = await openPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  await visit(page, at, `/?form=apply&mode=${mode}`);
  const form = page.frameLocator('#frame');
  await form.locator('form').waitFor();
  return { page, form };
};

describeInBrowser('a form with fields that no link fills in, in the studio', () => {
  test.each(['element', 'htmx4', 'htmx2', 'plain'])(
    '%s: a visitor sends a sample, told by name and size, and "Fill in" leaves nothing to fill in',
    async (mode) => {
      const { page, form } = await open(mode);
      await page.getByRole('button', { name: 'a visitor' }).click();
      const told = page.locator('.story').first();
      await told.waitFor();
      expect(await told.locator('.badge').innerText()).toBe('Delivered');
      expect(await told.getByRole('row', { name: /^cv sample\.pdf/ }).innerText()).toContain('(15 bytes)');
      await page.getByRole('button', { name: 'Fill in' }).click();
      const chosen = () =>
        form.locator('[name=cv]').evaluate((input: HTMLInputElement) => input.files?.[0]?.name);
      await expect.poll(chosen).toBe('sample.pdf');
      await form.getByRole('button', { name: 'Send' }).click();
      await expect.poll(() => page.locator('.story').count()).toBe(2);
      expect(await told.locator('.badge').innerText()).toBe('Delivered');
      expect(await told.getByRole('row', { name: /^signed / }).innerText()).toContain('Ada Lovelace');
      expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
    },
  );
});
