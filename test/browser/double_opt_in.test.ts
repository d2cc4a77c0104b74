/** The link in a mail, opened in a browser. */
import { decodeMail, smtpSink } from '../support/index.ts';
import { describeInBrowser, documentWith, isSound, openPage, scriptOf, stage, tagOf } from './stage.ts';

const looks = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
] as const;

type Options = Partial<Parameters<typeof stage>[0]>;

/** A newsletter whose form was submitted. The link leads to the relay, wherever it listens. */
async function subscribed({
  formKeys = '',
  keys = '',
  ...options
}: Options & { formKeys?: string; keys?: string } = {}) {
  const smtp = await smtpSink();
  const at = await stage({
    forms: `
  news:
    title: Acme news
    confirmation: Welcome to the list.
${formKeys}
    fields:
      - {name: email, type: email, required: true}
      - {name: name, max_length: 80}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
    double_opt_in:
      to: email
      subject: Please confirm
      text: Click, please.
      from: news@acme.example
      through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}}${keys}
`,
    ...options,
    env: { PUBLIC_URL: 'https://forms.acme.example', ...options.env },
  });
  const link = () => {
    const { text } = decodeMail(smtp.mails.at(-1)?.raw ?? '');
    return text.replace(/^.*https:\/\/forms\.acme\.example/s, at.origin).trim();
  };
  return { at, smtp, link };
}

const ada = Object.entries({ email: 'ada@visitor.example', name: 'Ada “日本” Lovelace' });

describeInBrowser('double opt-in', () => {
  test('from the form to the list: the link confirms itself, once', async () => {
    const { at, smtp, link } = await subscribed();
    const page = await openPage({ locale: 'en' });
    await page.goto(`${at.origin}/api/v1/form/news`);
    await page.getByLabel('Email').fill('ada@visitor.example');
    await page.getByLabel('Name').fill('Ada “日本” Lovelace');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Almost done: we have sent you an e-mail.').waitFor();
    expect(smtp.mails).toHaveLength(1);
    expect(at.delivered).toEqual([]);
    await page.goto(link());
    await page.getByText('Welcome to the list.').waitFor();
    expect(at.delivered).toEqual([ada]);
    expect(page.url().startsWith(`${at.origin}/api/v1/sent/news?`)).toBe(true);
    // The link in the mail is clicked again.
    await page.goto(link());
    await page.getByText('Welcome to the list.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('<relay-form> and its page say what happened, and when no more mails are sent', async () => {
    const { at, smtp } = await subscribed({ keys: '\n      per_hour: 2' });
    at.serve('/page', documentWith(tagOf(at, 'news'), scriptOf(at)));
    const page = await openPage({ locale: 'en' });
    const sendFrom = async (address: string, email: string) => {
      await page.goto(address);
      await page.getByLabel('Email').fill(email);
      await page.getByRole('button', { name: 'Send' }).click();
    };
    await sendFrom(`${at.host}/page`, 'ada@visitor.example');
    await page.locator('.form-confirmation').getByText('Almost done: we have sent you an e-mail.').waitFor();
    await sendFrom(`${at.host}/page`, 'bob@visitor.example');
    await page.getByText('Almost done').waitFor();
    expect(smtp.mails).toHaveLength(2);
    for (const address of [`${at.host}/page`, `${at.origin}/api/v1/form/news?as=page`]) {
      await sendFrom(address, 'eve@visitor.example');
      await page.getByText('We cannot send you an e-mail at the moment.').waitFor();
      expect(await page.getByLabel('Email').inputValue()).toBe('eve@visitor.example');
    }
    expect(smtp.mails).toHaveLength(2);
  });

  test('without scripts, its button confirms', async () => {
    const { at, link } = await subscribed();
    await at.submit('news', [['email', 'ada@visitor.example']]);
    const page = await openPage({ url: link(), javaScriptEnabled: false });
    expect(at.delivered).toEqual([]);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Welcome to the list.').waitFor();
    expect(at.delivered).toHaveLength(1);
  });

  test('the link redirects to the form’s redirect, and nothing there reveals it', async () => {
    const { at, link } = await subscribed({ formKeys: '    redirect: $sink' });
    await at.submit('news', [['email', 'ada@visitor.example']]);
    const page = await openPage({ url: link() });
    await page.waitForURL((url) => url.origin === at.sink.origin);
    expect(at.sink.requests.find(({ method }) => method === 'GET')?.headers.referer).toBeUndefined();
  });

  test.each(looks)('is accessible, $colorScheme, $viewport.width wide', async (look) => {
    let isDown = true;
    const { at, link } = await subscribed({ sink: { answer: () => ({ status: isDown ? 400 : 200 }) } });
    await at.submit('news', [['email', 'ada@visitor.example']]);
    const page = await openPage({ url: link(), ...look });
    await page.getByText('That did not work.').waitFor();
    await isSound(page, `confirm-failed-${look.colorScheme}-${look.viewport.width}`);
    isDown = false;
  });
});
