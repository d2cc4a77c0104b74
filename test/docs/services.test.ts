/** The recipes, each with a stub of its service: what the service accepts, what it refuses, and what the page says of that. */
import { runInNewContext } from 'node:vm';
import type { HttpAnswer, HttpRequest } from '../../packages/core/src/services.ts';
import { catalogue } from '../../packages/runtimes/src/catalogue.ts';
import { bundledRegistry } from '../../packages/runtimes/src/inspect.ts';
import { recipes as all } from '../../packages/starters/src/recipes.ts';
import { serviceAccount } from '../support/authorization_server.ts';
import { must, startRelay, type TestRelay } from '../support/index.ts';
import { parseConfig } from '../support/parse_config.ts';
import { blocksOf, read } from './papers.ts';
import { plain, recipeEnv, services } from './services/index.ts';
import type { Service } from './services/service.ts';

/** Recipes with a page in the manual. Units of the catalogue have their own tests. */
const recipes = all.filter(({ page }) => page.startsWith('docs/outputs/'));

const env = { ...recipeEnv, GOOGLE_SERVICE_ACCOUNT: serviceAccount('https://oauth2.googleapis.com/token') };

/** Submits to a recipe's form. */
async function submit(
  config: string,
  values: Readonly<Record<string, string>>,
  http: (request: HttpRequest) => HttpAnswer,
) {
  if (config !== serving?.config) {
    await serving?.relay.close();
    serving = { config, relay: await serve(config) };
  }
  const { relay } = serving;
  answer = http;
  const [before, logged] = [requests.length, relay.logged.length];
  const [form = ''] = Object.keys(formsOf(config));
  const { status } = await relay.submit(form, Object.entries(values));
  const lines = relay.logged.slice(logged);
  const reasons = lines.filter(({ event }) => event === 'delivery_failed').map(({ reason }) => reason);
  return { status, requests: requests.slice(before), reasons, log: JSON.stringify(lines) };
}

/** The relay with the last recipe. */
let serving: { readonly config: string; readonly relay: TestRelay } | undefined;
afterAll(() => serving?.relay.close());
let answer: (request: HttpRequest) => HttpAnswer;
const requests: HttpRequest[] = [];

const serve = (config: string) =>
  startRelay({
    config,
    env,
    effects: {
      http: async (request) => {
        if (request.body.includes('grant_type='))
          return { status: 200, headers: {}, body: '{"access_token":"t0ken"}' };
        requests.push(request);
        return answer(request);
      },
    },
  });

const formsOf = (config: string) => Object.fromEntries(must(parseConfig(config, 'webform.yaml')).forms);

const fieldsOf = (config: string) => Object.values(formsOf(config)).flatMap(({ fields }) => fields);

/** A value for each field, or only for required ones. */
const valuesFor = (config: string, text: string, which: 'all' | 'required') =>
  Object.fromEntries(
    fieldsOf(config)
      .filter(({ required }) => which === 'all' || required)
      .map(({ name, type, options }) => [
        name,
        type === 'email' ? 'ada@example.org' : (options?.[0]?.value ?? text),
      ]),
  );

/** The log's reasons listed under "Errors". */
const failuresOn = (page: string, title: string): readonly string[] => {
  const [paper = '', anchor] = page.split('#');
  const text = anchor ? read(paper).split(`\n## ${title}\n`)[1]?.split('\n## ')[0] : read(paper);
  const [, list = ''] = text?.split(/^(?:## Errors|Errors:)$/m) ?? [];
  return [...list.matchAll(/^- (`+)(.+?)\1:/gm)].map(([, , answer = '']) =>
    /^\d/.test(answer) ? `the server answered ${answer}` : answer.trim(),
  );
};

/** Recipes for a service. The pages of the others test them. */
const forServices = recipes.filter(({ name }) => name in services);

test('each output type of the packages has a recipe', async () => {
  const types = (await bundledRegistry()).plugins
    .filter(({ name }) => !Object.hasOwn(catalogue, name))
    .flatMap(({ outputs = [] }) => outputs.map(({ type }) => type));
  // `asker` delivers only answers to the requests of `ask`, so docs/ask.md shows both instead of a recipe.
  expect(types.filter((type) => !recipes.some(({ name }) => name === type))).toEqual(['asker']);
});

test('each service has a recipe, and each recipe has a service', () =>
  expect(recipes.map(({ name }) => name)).toEqual([...plain, ...Object.keys(services)].sort()));

test('the script in docs/outputs/apps_script.md writes a row of texts', () => {
  const script = blocksOf('docs/outputs/apps_script.md').find(({ language }) => language === 'js')?.text;
  const rows: unknown[] = [];
  const sheet = { appendRow: (cells: readonly unknown[]) => rows.push([...cells]) };
  const SpreadsheetApp = { getActiveSpreadsheet: () => ({ getSheets: () => [sheet] }) };
  const ContentService = { createTextOutput: (text: string) => text };
  const request = {
    postData: { contents: '{"received":"2030-12-31","name":"=1+1","email":"ada@example.org"}' },
  };
  runInNewContext(`${script}\ndoPost(request)`, { SpreadsheetApp, ContentService, request });
  expect(rows).toEqual([["'2030-12-31", "'=1+1", "'ada@example.org", "'"]]);
});

describe.each(forServices)('$name', ({ name, title, page, config }) => {
  const service: Service = services[name as keyof typeof services];
  const ada = valuesFor(config, 'Ada', 'all');

  test.each(['all', 'required'] as const)('is accepted with %s fields', async (which) => {
    const { status, log } = await submit(config, valuesFor(config, 'Ada', which), service.take);
    expect(log).not.toContain('delivery_failed');
    expect(status).toBe(200);
  });

  test.each([
    '"}],"x":{{ env "HOME" }} \\ \u2028 \0',
    '@everyone <!channel> [x](https://evil.example) #1 $(x) {{ .x }} %recipient%',
    '```\n/close\n@torvalds\n```\n\n/assign @me\r/x',
  ])('is accepted whatever a visitor writes: %j', async (hostile) => {
    const typed = (type: string, most = Number.POSITIVE_INFINITY) =>
      // Browsers send no line breaks from single-line fields.
      (type === 'textarea' ? hostile : hostile.replaceAll(/[\r\n]+/g, ' ')).slice(0, most);
    const values = { ...ada };
    for (const { name, type, max_length } of fieldsOf(config)) {
      if (values[name] === 'Ada') values[name] = typed(type, max_length);
    }
    expect((await submit(config, values, service.take)).status).toBe(200);
  });

  test('is refused without its required parts, and then not delivered', async () => {
    const { requests } = await submit(config, ada, service.take);
    const [request] = requests;
    if (!request) throw new Error('nothing was sent');
    const without: readonly HttpRequest[] = [
      { ...request, body: '{}' },
      { ...request, body: request.body.slice(1) },
      { ...request, headers: { ...request.headers, 'content-type': 'text/plain' } },
      { ...request, url: new URL('/nowhere', request.url) },
    ];
    for (const one of without) {
      const answer = service.take(one);
      expect(answer).not.toEqual(service.take(request));
      const { status, log } = await submit(config, ada, () => answer);
      expect(status).toBe(500);
      expect(log).toContain('delivery_failed');
    }
    // Any header that the relay does not add itself is there because the service needs it.
    const own = [
      ...['accept-encoding', 'form-relay-hops', 'content-type', 'user-agent', 'idempotency-key'],
      'traceparent',
    ];
    for (const header of Object.keys(request.headers).filter((one) => !own.includes(one))) {
      const { [header]: _, ...others } = request.headers;
      expect(service.take({ ...request, headers: others }).status).toBeGreaterThanOrEqual(400);
    }
  });

  test.each(failuresOn(page, title))('the log says: %s', async (reason) => {
    const [, status = reason.includes('`location`') ? '302' : '200'] = /answered (\d+)/.exec(reason) ?? [];
    const [, code = ''] = /\(([^ ]+)\)$/.exec(reason) ?? [];
    const { reasons, log } = await submit(config, ada, () => service.refuse(Number(status), code));
    expect(reasons).toEqual([reason]);
    expect(log).not.toContain('Ada');
  });
});
