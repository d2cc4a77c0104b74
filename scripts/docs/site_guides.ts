import { readFileSync } from 'node:fs';
import { pasteSnippets, printMark } from '../../lab/site-generators/paste.ts';
import { snippets } from '../../packages/playground/src/snippets.ts';
import { parseConfig } from '../../packages/relay/src/config/parse.ts';
import type { Form } from '../../packages/relay/src/form.ts';
import { printedForm } from '../../packages/relay/src/pages/printed_form.ts';

/** What a guide shows beside the snippet of the playground. */
interface Guide {
  readonly title: string;
  /** What the playground's *Put it on my site* calls it. */
  readonly snippet: string;
  /** The language of each part of that snippet. Default: `html`, which goes into any page as it is. */
  readonly languages?: readonly string[];
  /** The language of the files. Default: what their names end with. */
  readonly builtBy?: string;
  /** The files that `npm run sites` builds, with a printed form and with HTML of the owner's, and what each is. */
  readonly printed?: readonly [file: string, where: string];
  readonly own?: readonly [file: string, where: string];
  /** Of what was tried, where `npm run sites` builds none. */
  readonly tried?: string;
  readonly tips: readonly string[];
}

const rendersAgain =
  'The component may render as often as it likes while somebody types: what stands in `<relay-form>` is not its own, and stays.';
const staysWithPackage =
  'With the package, `import "form-relay/element"` in the entry takes the place of the script ([more](../element.md#with-a-bundler)).';

const pastedIntoMarkdown =
  'Paste what it prints into a page, where the form should stand, with an empty line before and after it';

const guides: Readonly<Record<string, Guide>> = {
  html: {
    title: 'Plain HTML',
    snippet: 'HTML',
    printed: ['plain/printed/index.html', 'Paste what it prints into a page, where the form should stand'],
    own: ['plain/own/index.html', 'A page with your own markup'],
    tips: [
      'It survives minifiers: `npm run sites` sends its forms after all that html-minifier-terser can do.',
      'A page that was opened from disk has no origin, and browsers say `null` for it: serve it, if only from your own machine.',
    ],
  },
  hugo: {
    title: 'Hugo',
    snippet: 'Hugo',
    languages: ['html', 'gotmpl'],
    builtBy: 'gotmpl',
    printed: [
      'hugo/layouts/_default/layout.html',
      'Paste what it prints into a layout, where the form should stand',
    ],
    own: ['hugo/layouts/_default/own.html', 'A layout with your own markup'],
    tips: [
      'Hugo leaves HTML out of Markdown: use the shortcode or a layout, or write into `hugo.toml`: `[markup.goldmark.renderer]` and below it `unsafe = true`.',
      '`hugo --minify` changes nothing that matters.',
    ],
  },
  jekyll: {
    title: 'Jekyll',
    snippet: 'Jekyll',
    languages: ['html', 'liquid'],
    builtBy: 'liquid',
    printed: ['jekyll/printed.md', pastedIntoMarkdown],
    own: ['jekyll/own.html', 'An HTML page with your own markup'],
    tips: [
      'On GitHub Pages nothing else is needed: the relay runs somewhere else.',
      'What is printed holds nothing that Liquid reads, such as two braces.',
    ],
  },
  eleventy: {
    title: 'Eleventy',
    snippet: 'Eleventy',
    builtBy: 'liquid',
    printed: ['eleventy/printed.md', pastedIntoMarkdown],
    own: ['eleventy/own.html', 'An HTML page with your own markup'],
    tips: ['What is printed holds nothing that Nunjucks or Liquid read, such as two braces.'],
  },
  astro: {
    title: 'Astro',
    snippet: 'Astro',
    languages: ['astro'],
    printed: [
      'astro/src/pages/printed.astro',
      'Paste what it prints into a page, where the form should stand',
    ],
    own: ['astro/src/pages/own.astro', 'A page with your own markup'],
    tips: [
      'Astro bundles scripts: `is:inline` leaves this one where it is.',
      'With `<ClientRouter>`, which loads pages in place of the browser, forms work on pages that come later, too.',
      'Nothing needs a client directive or an adapter: the site stays static.',
    ],
  },
  react: {
    title: 'React with Vite',
    snippet: 'React',
    languages: ['html head', 'jsx'],
    printed: ['vite-react/src/Printed.jsx', 'Save what it prints as `contact.html`. This component shows it'],
    own: ['vite-react/src/Own.jsx', 'A component with your own markup and state'],
    tips: [
      rendersAgain,
      staysWithPackage,
      'React 19 knows custom elements. TypeScript asks for `relay-form` in `JSX.IntrinsicElements`: declare it once.',
      'A form that React renders and sends itself: [`submitForm`](../element.md#with-a-bundler), or [React Hook Form](../json.md#with-react-hook-form).',
    ],
  },
  nextjs: {
    title: 'Next.js',
    snippet: 'React',
    languages: ['html head', 'jsx'],
    tried:
      'Tried by hand with Next.js 15 and `output: "export"`; it is not among the sites that our tests build.',
    tips: [
      'In place of `<head>`: in `app/layout.jsx`, `import Script from "next/script"`, `<link rel="stylesheet" href="https://forms.example.com/api/v1/form.css" />` in `<head>`, and at the end of `<body>` `<Script src="https://forms.example.com/api/v1/form.js" />`.',
      'The component needs no `"use client"`: the server renders the link, and the script puts the form there.',
      rendersAgain,
      'A form sent by a Server Action reaches your server first: then send it on with [JSON](../json.md).',
    ],
  },
  vue: {
    title: 'Vue with Vite',
    snippet: 'Vue',
    languages: ['html head', 'js', 'vue'],
    printed: [
      'vite-vue/src/Printed.vue',
      'Paste what it prints into a component. `v-pre` keeps Vue from compiling it',
    ],
    own: ['vite-vue/src/Own.vue', 'A component with your own markup and state'],
    tips: [
      rendersAgain,
      staysWithPackage,
      'Without `isCustomElement`, Vue warns that it cannot resolve `relay-form`.',
    ],
  },
  svelte: {
    title: 'Svelte with Vite',
    snippet: 'Svelte',
    languages: ['html head', 'svelte'],
    printed: ['vite-svelte/src/Printed.svelte', 'Paste what it prints into a component'],
    own: ['vite-svelte/src/Own.svelte', 'A component with your own markup and state'],
    tips: [rendersAgain, staysWithPackage],
  },
  htmx: {
    title: 'htmx',
    snippet: 'htmx 4',
    tips: [
      'With htmx 2, `htmx-config` is `{"selfRequestsOnly": false}`.',
      'The whole of it, with errors, steps and a form of your own: [forms with htmx](../htmx.md).',
    ],
  },
  wordpress: {
    title: 'WordPress',
    snippet: 'WordPress',
    tried: 'It is not among the sites that our tests build.',
    tips: [
      'No plugin is needed, and none can break it. A cache plugin may keep the page for as long as it likes: the form is fetched when it is shown.',
      'Who may not write scripts (authors, and WordPress.com without a plan for it) gets the link alone, which is enough.',
    ],
  },
};

const relay = 'https://forms.example.com';

const rootFile = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The README's first config, which every guide shows. */
const [, config = ''] = /^```yaml\n(.*?)^```$/ms.exec(rootFile('README.md')) ?? [];

function contactForm(): Form {
  const parsed = parseConfig(config, 'webform.yaml');
  const form = parsed.ok ? parsed.value.forms.get('contact') : undefined;
  if (!form) throw new Error('the first config of the README does not load');
  return form;
}

const fence = (language: string, text: string) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;

/** A file of `lab/site-generators/` as its owner has it after pasting, without what it is there for our tests. */
function sourceOf(file: string, form: Form, language = file.replace(/.*\./, '')): string {
  const source = rootFile(`lab/site-generators/${file}`)
    .replaceAll(/^ *(\/\/|\{?\/\*) biome-ignore.*\n/gm, '')
    .replaceAll(/^ *<a href="\/other\/">.*\n/gm, '');
  const text = pasteSnippets(source, form, relay).replace(printMark, (_, command: string) =>
    printedForm(form, relay, { script: command.includes('--script') })
      .toString()
      .trimEnd(),
  );
  return fence(language, text);
}

function siteGuide({ title, snippet, languages = [], builtBy, printed, own, tried, tips }: Guide): string {
  const form = contactForm();
  const parts = snippets(form, relay).find(({ name }) => name === snippet)?.parts;
  if (!parts) throw new Error(`the playground has nothing for ${snippet}`);
  return `# A form on your site: ${title}

Your relay runs at \`${relay}\` and has this form, the one of the [README](../../README.md#your-first-form):

${fence('yaml', config)}
*Put it on my site* in the playground writes the first example below for your own relay and forms.

## Syntax

| Way | For |
| --- | --- |
| one tag, \`<relay-form>\` | a form that follows the config at once; without JavaScript there is a link in its place |
${printed ? '| [a printed form](../element.md#a-printed-form) | a form that is there at once, and works without JavaScript |\n' : ''}${own ? '| [HTML of your own](../element.md#a-form-of-your-own) | your own markup, with the relay’s errors at your fields |\n' : ''}
## Example

The line with \`form.css\` brings [the relay's style](../styling.md). Leave it out if your site styles forms itself.

${parts.map(({ where, code }, index) => `${where.replaceAll(/<[^>]+>/g, '`$&`')}\n\n${fence(languages[index] ?? 'html', code)}`).join('\n')}${
  printed
    ? `
### A printed form

\`\`\`sh
relay form html contact --base-url ${relay}${rootFile(`lab/site-generators/${printed[0]}`).includes('contact --script') ? ' --script' : ''}
\`\`\`

${printed[1]}:

${sourceOf(printed[0], form, builtBy)}`
    : ''
}${own ? `\n### HTML of your own\n\n${own[1]}:\n\n${sourceOf(own[0], form, builtBy)}` : ''}
## Tips

${tips.map((tip) => `- ${tip}\n`).join('')}- \`ALLOWED_ORIGINS\` lists the sites whose pages may read the relay's answers ([reference](../reference.md#environment)).
- \`relay check contact.html --form contact\` compares the page that your build wrote with the config.
- ${tried ?? '`npm run sites` builds these files and sends their forms in Chromium.'}
`;
}

/** Every guide, by its path. */
export const siteGuides: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.entries(guides).map(([name, guide]) => [`docs/sites/${name}.md`, async () => siteGuide(guide)]),
);
