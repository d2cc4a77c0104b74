import { describeInBrowser, documentWith, openPage, type Stage, stage } from './stage.ts';

const forms =
  '  guarded: {fields: [{name: name, required: true}], outputs: [{type: http_post, url: $sink, mapping: "*"}], redirect: $sink, origins: [https://example.com]}';

/** Fills in and sends the only field of the page at this address; returns what the visitor reads then. */
async function sendFrom(address: string): Promise<string> {
  const page = await openPage({ url: address, isIsolated: true, javaScriptEnabled: false });
  await page.locator('[name=name]').fill('Ada');
  await page.locator('[name=name]').press('Enter');
  await page.waitForURL((url) => url.href !== address);
  return page.locator('body').innerText();
}

/** The sink accepts deliveries, and thanks visitors in place of the owner's site. */
const standing = (): Promise<Stage> =>
  stage({ forms, sink: { answer: ({ method }) => (method === 'GET' ? { body: 'Thanks' } : {}) } });

/** Their bodies. */
const deliveries = ({ sink }: Stage) =>
  sink.requests.flatMap(({ method, body }) => (method === 'POST' ? [body] : []));

const plainForm = (action: string) =>
  documentWith(
    `<form method="post" action="${action}"><label>Name <input name="name"></label><button>Send</button></form>`,
  );

const hidden = { 'referrer-policy': 'no-referrer' };
const refused = /This form cannot be sent from this page/;

describeInBrowser('where a form may be sent from', () => {
  const onHost = async (action: (on: Stage) => string, headers = {}) => {
    const on = await standing();
    on.serve('/page', plainForm(action(on)), headers);
    const read = await sendFrom(`${on.host}/page`);
    return { read, delivered: deliveries(on).length };
  };

  test('the relay’s own page may', async () => {
    const on = await standing();
    expect(await sendFrom(`${on.origin}/api/v1/form/guarded?as=page`)).toBe('Thanks');
    expect(deliveries(on)).toEqual(['name=Ada']);
  });

  test('another page may not, and its visitor is told so', async () => {
    const { read, delivered } = await onHost(({ origin }) => `${origin}/api/v1/submit/guarded`);
    expect(read).toMatch(refused);
    expect(delivered).toBe(0);
  });

  test('a page without an origin may, because people use such pages', async () => {
    const open = await onHost(({ origin }) => `${origin}/api/v1/submit/guarded`, hidden);
    expect(open).toEqual({ read: 'Thanks', delivered: 1 });
  });

  test('a page of the same origin may, even without a referrer', async () =>
    expect(await onHost(() => '/api/v1/submit/guarded', hidden)).toEqual({ read: 'Thanks', delivered: 1 }));
});
