/**
 * Real sites of many generators, in a real browser, with a real relay: does everything acknowledged arrive, and is
 * everything that did not arrive not acknowledged? `npm run sites`, or `npm run sites hugo astro` for some.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { filesOf } from '../../scripts/static_files.ts';
import { eachNumber } from '../chaos/loop.ts';
import { build, here, install, type Site, sites } from './build.ts';
import { type Case, cases, isThanked, type Visit } from './cases.ts';
import { listener, startWorld, type World } from './world.ts';

/** Pages that are open and active at the same time. */
const atOnce = 6;

interface Form {
  readonly site: string;
  readonly way: string;
  readonly address: string;
}

const names = process.argv.slice(2);
const wanted = sites.filter(({ name }) => names.length === 0 || names.includes(name));
const started = performance.now();
await install(wanted);
const world = await startWorld(await readFile(join(here, 'webform.yaml'), 'utf8'));
const config = join(here, '.build/webform.yaml');
await mkdir(join(here, '.build'), { recursive: true });
await writeFile(config, world.config);
const forms: Form[] = [];
const problems: string[] = [];
for (const site of wanted) await open(site);
console.log(`Built ${wanted.length} sites in ${seconds(started)}.`);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromiumSandbox: process.getuid?.() !== 0,
  // Visitors' browsers have it.
  ignoreDefaultArgs: ['--disable-back-forward-cache'],
});
const results = new Map<Form, Map<Case, string>>(forms.map((form) => [form, new Map()]));
for (const one of cases) await play(one, world);
await browser.close();
await world.close();
report();
process.exit(problems.length === 0 ? 0 : 1);

async function open(site: Site): Promise<void> {
  try {
    const { origin } = await listener(filesOf(await build(site, world.relay, config), '/', true));
    for (const way of site.pages) forms.push({ site: site.name, way, address: `${origin}/${way}/` });
  } catch (error) {
    problems.push(`${site.name} was not built: ${error}`);
  }
}

async function play(one: Case, world: World): Promise<void> {
  const began = performance.now();
  const isFor = ({ site, way }: Form) =>
    // These sites bundle the script.
    one.browser !== 'without these scripts' || site !== 'vite-react' || way === 'tag';
  const context = await browser.newContext({ javaScriptEnabled: one.browser !== 'without JavaScript' });
  context.setDefaultTimeout(12_000);
  if (one.browser === 'without these scripts') {
    await context.route(/\/(form|htmx\.min)\.js$/, (route) => route.abort());
  }
  const visits = await Promise.all(
    forms.filter(isFor).map(async (form, index) => ({
      form,
      ...(await visit(form, `${one.name} ${index}`, await context.newPage())),
    })),
  );
  const failed = (form: Form) => results.get(form)?.has(one);
  const all = async (then: Case['before']) => {
    if (!then) return;
    await eachNumber(visits.length, { connections: atOnce }, async (at) => {
      const visit = visits[at] as (typeof visits)[number];
      if (failed(visit.form)) return;
      try {
        await then(visit);
      } catch (error) {
        fail(one, visit.form, String(error));
      }
    });
    // The most important rule: acknowledged means delivered.
    for (const visit of visits) {
      const arrived = visit.arrived();
      const isAcknowledged = await isThanked(visit.page);
      if (isAcknowledged !== arrived > 0 || arrived > 1) {
        fail(one, visit.form, `acknowledged: ${isAcknowledged}, arrived: ${arrived} times`);
      }
    }
  };
  await all(one.before);
  await one.trouble?.(world);
  await all(one.during);
  await one.mend?.(world);
  await all(one.after);
  await context.close();
  for (const { form } of visits) if (!failed(form)) results.get(form)?.set(one, '');
  console.log(`${one.name}: ${seconds(began)}`);
}

function fail(one: Case, form: Form, what: string): void {
  if (results.get(form)?.has(one)) return;
  results.get(form)?.set(one, what);
  problems.push(`${form.site}/${form.way}, ${one.name}: ${what.split('\n').slice(0, 4).join(' ')}`);
}

async function visit(form: Form, value: string, page: Page): Promise<Visit> {
  const all = () => world.sink.taken.filter((values) => values.get('message') === value);
  const delivered = (name: string) => all()[0]?.get(name);
  return { page, address: form.address, value, arrived: () => all().length, delivered };
}

function report(): void {
  const cell = (form: Form, one: Case) => {
    const what = results.get(form)?.get(one);
    return what === undefined ? '-' : what === '' ? 'ok' : 'FAILED';
  };
  const row = (form: Form) => Object.fromEntries(cases.map((one) => [one.name, cell(form, one)]));
  console.table(Object.fromEntries(forms.map((form) => [`${form.site} ${form.way}`, row(form)])));
  console.log(problems.join('\n') || 'All that was acknowledged arrived, and nothing else was acknowledged.');
  console.log(`${forms.length} pages, ${world.sink.taken.length} deliveries, ${seconds(started)}`);
}

function seconds(since: number): string {
  return `${Math.round((performance.now() - since) / 1000)} s`;
}
