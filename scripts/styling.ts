// `npm run styling`: the pictures in docs/styling/, of forms made as docs/styling.md says. Needs the network: the
// frameworks are installed into a folder that is thrown away. Complains of what axe-core finds in any of them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { formStyle } from '../packages/relay/built/style.ts';
import { createRelay } from '../packages/relay/src/index.ts';
import { type Recipe, recipe } from './recipe.ts';

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const frameworks = {
  bootstrap: '5.3.8',
  '@picocss/pico': '2.1.1',
  tailwindcss: '4.3.5',
  '@tailwindcss/cli': '4.3.5',
  '@tailwindcss/forms': '0.5.11',
};

const form = `
forms:
  contact:
    title: Write to us
    submit_label: Send message
    confirmation: Thank you. We answer within two days.
    fields:
      - {name: name, required: true, autocomplete: name}
      - {name: email, type: email, required: true, help: Only to answer you.}
      - {name: topic, type: select, required: true, options: [A new website, Support, Something else]}
      - {name: reach, type: radios, label: How may we reach you?, options: [By email, By phone], value: By email}
      - {name: message, type: textarea, required: true, rows: 3}
      - {name: consent, type: checkbox, required: true, label: You may keep what I write here., help: For a year.}
    spam: {honeypot: website}
    outputs: [{type: http_post, url: "https://crm.example.com/", mapping: "*"}]
`;

const recipes = [
  recipe('Your own colours', 'own'),
  recipe('Bootstrap 5', 'bootstrap'),
  recipe('Pico', 'pico'),
  recipe('Tailwind', 'tailwind'),
];

/** Where the frameworks are. */
const folder = process.env.FRAMEWORKS ?? install();

function install(): string {
  const made = mkdtempSync(join(tmpdir(), 'form-relay-styling-'));
  process.on('exit', () => rmSync(made, { recursive: true }));
  writeFileSync(join(made, 'package.json'), JSON.stringify({ private: true, dependencies: frameworks }));
  execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: made, stdio: 'inherit' });
  return made;
}

/** What Tailwind makes of the CSS and the config that names its classes. */
function tailwind({ css, classes }: Recipe): string {
  writeFileSync(join(folder, 'webform.yaml'), `${classes}# ${pages.tailwind?.body}`);
  writeFileSync(join(folder, 'in.css'), css);
  const cli = join(folder, 'node_modules/@tailwindcss/cli/dist/index.mjs');
  execFileSync(process.execPath, [cli, '-i', 'in.css', '-o', 'out.css'], { cwd: folder });
  return readFileSync(join(folder, 'out.css'), 'utf8');
}

/** How each site says that it is dark, and what its pages have around a form. */
const pages: Readonly<Record<string, { readonly html?: string; readonly body?: string }>> = {
  own: { body: 'style="margin:0;padding:24px;font-family:system-ui;background:light-dark(#fff,#18181b)"' },
  bootstrap: { html: 'data-bs-theme="$scheme"', body: 'class="p-4"' },
  pico: { html: 'data-theme="$scheme"', body: 'style="padding:24px"' },
  tailwind: { body: 'class="p-6 text-gray-900 dark:bg-gray-900 dark:text-white"' },
};

type Scheme = 'light' | 'dark';
const width = Number(process.env.WIDTH ?? 460);

/** The form in each state that a visitor may see, as the relay makes it. */
async function states({ classes }: Recipe): Promise<Readonly<Record<string, string>>> {
  const http = async () => ({ status: 500, headers: {}, body: '', isCut: false });
  const relay = createRelay({ config: classes + form, env: {}, effects: { log: () => {}, http } });
  const ask = async (method: string, route: string, body = '') => {
    const { handle } = relay;
    const headers = { 'hx-request': 'true', 'content-type': 'application/x-www-form-urlencoded' };
    const sent = { method, path: `/api/v1/${route}/contact`, query: '', headers };
    return (await handle({ ...sent, body: new TextEncoder().encode(body) })).body;
  };
  const first = await ask('GET', 'form');
  const filled = 'name=Ada&email=ada%40example.org&topic=Support&message=Hello&consent=on';
  const failure = await ask('POST', 'submit', filled);
  const failed = first.replace(/(class="form-status"[^>]*>)/, `$1${failure}`);
  const invalid = await ask('POST', 'submit', 'name=Ada+Lovelace&email=ada&reach=By+email');
  const sent = await ask('POST', 'submit', 'website=bot');
  await relay.close();
  return { first, invalid, failed, sent };
}

/** What a page links to: the relay's stylesheet, or one of a framework. */
function stylesheet(url: string): string {
  if (url.endsWith('/form.css')) return formStyle.toString();
  const [, name = '', file = ''] = /npm\/(.+?)@[\d.]+\/(.+)/.exec(url) ?? [];
  return readFileSync(join(folder, 'node_modules', name, file), 'utf8');
}

function pageOf({ name, head, css }: Recipe, scheme: Scheme, content: string): string {
  const { html = '', body = '' } = pages[name] ?? {};
  const links = [...head.matchAll(/href="([^"]*)"/g)].map(
    ([, url = '']) => `<style>${stylesheet(url)}</style>`,
  );
  return `<!DOCTYPE html>
<html lang="en" ${html.replace('$scheme', scheme)}>
<head><title>A form</title>${links.join('')}<style>${css}</style></head>
<body ${body}><main>${content.replaceAll(/<script>.*?<\/script>|autofocus/gs, '')}</main></body>
</html>`;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Of the form alone: the page around it is none. */
async function complaintsIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const rules = JSON.stringify({ region: { enabled: false }, 'page-has-heading-one': { enabled: false } });
  const found: { violations: readonly Violation[] } = await page.evaluate(
    `axe.run(document, {rules: ${rules}})`,
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

async function picture(browser: Browser, one: Recipe): Promise<void> {
  const recipe = one.css.includes('@import "tailwindcss"') ? { ...one, css: tailwind(one) } : one;
  const shots: string[] = [];
  for (const [state, content] of Object.entries(await states(recipe))) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 100 } });
      await page.setContent(pageOf(recipe, colorScheme, content));
      for (const complaint of await complaintsIn(page))
        console.error(`${one.name}, ${state}, ${colorScheme}: ${complaint}`);
      const shot = await page.screenshot({ fullPage: true });
      if (state === 'invalid') shots.push(shot.toString('base64'));
      // For people to look at, in the folder that SCREENSHOTS names.
      if (process.env.SCREENSHOTS)
        writeFileSync(`${process.env.SCREENSHOTS}/${one.name}-${state}-${colorScheme}-${width}.png`, shot);
      await page.close();
    }
  }
  const page = await browser.newPage({ viewport: { width: 2 * width, height: 100 } });
  const images = shots.map((shot) => `<img alt="" src="data:image/png;base64,${shot}">`);
  await page.setContent(`<body style="margin:0;display:flex;align-items:start">${images.join('')}</body>`);
  await page.screenshot({ path: path(`docs/styling/${one.name}.png`), fullPage: true });
  await page.close();
}

mkdirSync(path('docs/styling'), { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // As root, Chromium's own sandbox is not to be had.
  chromiumSandbox: process.getuid?.() !== 0,
});
for (const one of recipes) await picture(browser, one);
await browser.close();
