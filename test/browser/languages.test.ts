/** Forms in other languages, as their visitors see them. */
import ar from '../../packages/languages/src/words/ar.json' with { type: 'json' };
import de from '../../packages/languages/src/words/de.json' with { type: 'json' };
import { describeInBrowser, documentWith, type Htmx, isSound, openPage, stage, unchecked } from './stage.ts';

const forms = `
  contact:
    languages: [de, ar]
    title: {de: Schreiben Sie uns, ar: اكتب إلينا}
    confirmation: {de: Wir haben Ihre Nachricht., ar: وصلت رسالتك.}
    fields:
      - {name: name, required: true, label: {de: Ihr Name, ar: الاسم}}
      - {name: email, type: email, required: true, label: {de: E-Mail, ar: البريد الإلكتروني}, placeholder: ada@example.org}
      - {name: day, type: date, min: 2030-12-31, label: {de: Wunschtag, ar: التاريخ}}
      - name: kind
        type: radios
        required: true
        label: {de: Anliegen, ar: الموضوع}
        options:
          - {value: a, label: {de: Frage, ar: سؤال}}
          - {value: b, label: {de: Auftrag, ar: طلب}}
      - {name: number, label: {de: Auftragsnummer, ar: رقم الطلب}, visible_when: {field: kind, is: b}}
      - {name: text, type: textarea, label: {de: Nachricht, ar: الرسالة}, help: {de: So kurz Sie mögen., ar: باختصار.}}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

describeInBrowser('languages', () => {
  describe.each([
    ['ar', 'ar-EG', 'rtl', ar, 'اكتب إلينا', 'وصلت رسالتك.'],
    ['de', 'de-AT', 'ltr', de, 'Schreiben Sie uns', 'Wir haben Ihre Nachricht.'],
  ] as const)('%s', (language, locale, direction, texts, title, thanks) => {
    test.each(['light', 'dark'] as const)(
      'the page, its errors and its confirmation (%s)',
      async (colorScheme) => {
        const at = await stage({ forms });
        const page = await openPage({ locale, colorScheme, viewport: { width: 700, height: 1000 } });
        await page.goto(`${at.origin}/api/v1/form/contact`);
        expect(await page.locator('html').getAttribute('dir')).toBe(direction);
        expect(await page.title()).toBe(title);
        await isSound(page, `language-${language}-${colorScheme}`);
        // Everything starts on the side where reading starts.
        const form = await page.locator('form').boundingBox();
        const button = await page.getByRole('button').boundingBox();
        expect((button?.x ?? 0) > (form?.x ?? 0) + 1).toBe(direction === 'rtl');
        await unchecked(page);
        await page.locator('[name=day]').fill('2029-01-01');
        await page.locator('[name=email]').fill('nobody');
        await page.getByRole('button').click();
        await page.locator('.field-error', { hasText: texts.not_an_email }).waitFor();
        await isSound(page, `language-${language}-errors-${colorScheme}`);
        await page.locator('[name=name]').fill('Ada');
        await page.locator('[name=email]').fill('ada@example.org');
        await page.locator('[name=day]').fill('2031-01-01');
        await page.locator('[value=a]').check();
        await page.getByRole('button').click();
        await page.getByText(thanks).waitFor();
        await isSound(page, `language-${language}-sent-${colorScheme}`);
        expect(at.delivered).toHaveLength(1);
      },
    );
  });

  test.each<Htmx>(['htmx2', 'htmx4'])(
    'with %s, each part of the form stays in its language',
    async (htmx) => {
      const at = await stage({ forms });
      at.serve(
        '/',
        documentWith(
          '<div hx-get="/api/v1/form/contact?lang=ar" hx-trigger="load"></div>',
          `<script src="/${htmx}.js"></script>\n`,
        ),
      );
      const page = await openPage({ url: at.host, locale: 'de' });
      await page.getByText('طلب').click();
      await page.getByLabel('رقم الطلب').waitFor();
      await unchecked(page);
      await page.getByRole('button').click();
      await page.getByText(ar.missing).first().waitFor();
      await page.locator('[name=name]').fill('Ada');
      await page.locator('[name=email]').fill('ada@example.org');
      await page.getByRole('button').click();
      await page.getByText('وصلت رسالتك.').waitFor();
      expect(await page.locator('.form-confirmation').getAttribute('dir')).toBe('rtl');
    },
  );
});
