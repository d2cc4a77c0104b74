import { describeInBrowser, openPage, type Page, type Stage, scriptOf, stage, tagOf } from './stage.ts';

interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, { readonly description?: string }>> };
}
interface Tools {
  getTools(): Promise<readonly Tool[]>;
  executeTool(tool: Tool, values: object): Promise<string>;
}
type Agent = Document & { readonly modelContext: Tools };

const form = (more: string) => `
  contact:
    webmcp: {description: Sends a message to the office.${more}}
    spam: {honeypot: website}
    fields:
      - {name: name, label: Name, help: 'Your [full](https://example.com/) name.', required: true}
      - {name: topic, type: radios, label: Topic, options: [sales, support]}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`;

const serveElement = (at: Stage) => at.serve('/', scriptOf(at) + tagOf(at));

const toolsIn = (page: Page) =>
  page.evaluate(async () => {
    const all = await (document as Agent).modelContext.getTools();
    return all.map(({ name, inputSchema }) => ({ name, inputSchema }));
  });

const act = async (page: Page, values: object): Promise<unknown> =>
  JSON.parse(
    await page.evaluate(async (sent) => {
      const { modelContext } = document as Agent;
      const [tool] = await modelContext.getTools();
      return tool ? modelContext.executeTool(tool, sent) : '';
    }, values),
  );

describeInBrowser('an agent of the browser (WebMCP of Chromium 156)', () => {
  test.each(['page', 'element'])('gets the form of a %s as a tool, without its honeypot', async (kind) => {
    const at = await stage({ forms: form('') });
    serveElement(at);
    const page = await openPage({ feature: 'WebMCPTesting' });
    await page.goto(kind === 'page' ? `${at.origin}/f/contact` : at.host);
    await page.locator('form[toolname]').waitFor();
    await page.waitForLoadState('networkidle');
    const found = await toolsIn(page);
    expect(found).toMatchObject([
      {
        name: 'contact',
        inputSchema: {
          required: ['name'],
          properties: { name: { description: 'Name. Your full name.' }, topic: { description: 'Topic' } },
        },
      },
    ]);
    expect(Object.keys(found[0]?.inputSchema.properties ?? {})).toEqual(['name', 'topic']);
    // A person reviews and submits it.
    const answer = act(page, { name: 'Ada', topic: 'sales' }).catch(() => 'another page');
    await expect.poll(() => page.locator('[name=name]').inputValue()).toBe('Ada');
    expect(at.bodies).toEqual([]);
    await page.locator('button[type=submit]').click();
    const sent = expect.objectContaining({ kind: 'sent', confirmation: 'Thank you.' });
    // The relay's own page redirects, and the browser tells the agent nothing.
    if (kind === 'element') expect(await answer).toEqual(sent);
    else await answer;
    expect(at.bodies).toEqual(['name=Ada&topic=sales']);
  });

  test('submits the form if allowed, and reads the result', async () => {
    const at = await stage({ forms: form(', autosubmit: true, name: write') });
    serveElement(at);
    const page = await openPage({ feature: 'WebMCPTesting' });
    await page.goto(at.host);
    await page.locator('form[toolautosubmit][toolname=write]').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await act(page, { name: 'Ada' })).toMatchObject({ kind: 'sent' });
    expect(at.bodies).toEqual(['name=Ada']);
  });
});
