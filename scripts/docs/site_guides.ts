import { readFileSync } from 'node:fs';
import { parseConfig } from '../../src/config/parse.ts';
import type { Form } from '../../src/form.ts';
import { snippets } from '../../src/tools/playground/snippets.ts';

/** What a guide shows beside the snippet of the playground. */
interface Guide {
  readonly title: string;
  /** What the playground's *Put it on my site* calls it. */
  readonly snippet: string;
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

const guides: Readonly<Record<string, Guide>> = {
  html: {
    title: 'Plain HTML',
    snippet: 'HTML',
    printed: ['plain/printed/index.html', 'Into a page, where the form shall be'],
    own: ['plain/own/index.html', 'Your own markup'],
    tips: [
      'It survives minifiers: `npm run sites` sends its forms after all that html-minifier-terser can do.',
      'A page that was opened from disk has no origin, and browsers say `null` for it: serve it, if only from your own machine.',
    ],
  },
  hugo: {
    title: 'Hugo',
    snippet: 'Hugo',
    printed: ['hugo/layouts/_default/layout.html', 'Into a layout, where the form shall be'],
    own: ['hugo/layouts/_default/own.html', 'Your own markup, in a layout'],
    tips: [
      'Hugo leaves HTML out of Markdown: use the shortcode or a layout, or write into `hugo.toml`: `[markup.goldmark.renderer]` and below it `unsafe = true`.',
      '`hugo --minify` changes nothing that matters.',
    ],
  },
  jekyll: {
    title: 'Jekyll',
    snippet: 'Jekyll',
    printed: ['jekyll/printed.md', 'Into a page, where the form shall be; an empty line before and after it'],
    own: ['jekyll/own.html', 'Your own markup, in a page of HTML'],
    tips: [
      'On GitHub Pages nothing else is needed: the relay runs somewhere else.',
      'What is printed holds nothing that Liquid reads, such as two braces.',
    ],
  },
  eleventy: {
    title: 'Eleventy',
    snippet: 'Eleventy',
    printed: [
      'eleventy/printed.md',
      'Into a page, where the form shall be; an empty line before and after it',
    ],
    own: ['eleventy/own.html', 'Your own markup, in a page of HTML'],
    tips: ['What is printed holds nothing that Nunjucks or Liquid read, such as two braces.'],
  },
  astro: {
    title: 'Astro',
    snippet: 'Astro',
    printed: ['astro/src/pages/printed.astro', 'Into a page, where the form shall be'],
    own: ['astro/src/pages/own.astro', 'Your own markup'],
    tips: [
      'Astro bundles scripts: `is:inline` leaves this one where it is.',
      'With `<ClientRouter>`, which loads pages in place of the browser, forms work on pages that come later, too.',
      'Nothing needs a client directive or an adapter: the site stays static.',
    ],
  },
  react: {
    title: 'React with Vite',
    snippet: 'React',
    printed: [
      'vite-react/src/Printed.jsx',
      'A component for what was printed, which stands in `contact.html`',
    ],
    own: ['vite-react/src/Own.jsx', 'Your own markup, with state of your own'],
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
    tried:
      'Tried by hand with Next.js 15 and `output: "export"`; it is not among the sites that our tests build.',
    tips: [
      'In place of `<head>`: in `app/layout.jsx`, `import Script from "next/script"`, and at the end of `<body>` `<Script src="https://forms.example.com/api/v1/form.js" />`.',
      'The component needs no `"use client"`: the server renders the link, and the script puts the form there.',
      rendersAgain,
      'A form sent by a Server Action reaches your server first: then send it on with [JSON](../json.md).',
    ],
  },
  vue: {
    title: 'Vue with Vite',
    snippet: 'Vue',
    printed: [
      'vite-vue/src/Printed.vue',
      'A component for what was printed: `v-pre` keeps Vue from reading it',
    ],
    own: ['vite-vue/src/Own.vue', 'Your own markup, with state of your own'],
    tips: [
      rendersAgain,
      staysWithPackage,
      'Without `isCustomElement`, Vue warns that it cannot resolve `relay-form`.',
    ],
  },
  svelte: {
    title: 'Svelte with Vite',
    snippet: 'Svelte',
    printed: ['vite-svelte/src/Printed.svelte', 'A component for what was printed'],
    own: ['vite-svelte/src/Own.svelte', 'Your own markup, with state of your own'],
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

/** The form of the README, more or less. */
const config = `
forms:
  contact:
    title: Write to us
    fields: [{name: email, type: email, required: true}, {name: message, type: textarea, required: true}]
    outputs: [{type: http_post, url: "https://crm.example.com/leads", mapping: "*"}]
`;

function contactForm(): Form {
  const parsed = parseConfig(config, 'webform.yaml');
  const form = parsed.ok ? parsed.value.forms.get('contact') : undefined;
  if (!form) throw new Error('the config of the guides does not load');
  return form;
}

const languages: Readonly<Record<string, string>> = {
  jsx: 'jsx',
  vue: 'vue',
  svelte: 'svelte',
  astro: 'astro',
};

/** A file of `site-generators/` as the guide shows it, without what it is there for our tests. */
function sourceOf(file: string): string {
  const text = readFileSync(new URL(`../../site-generators/${file}`, import.meta.url), 'utf8')
    .replaceAll(/^ *(\/\/|\{?\/\*) biome-ignore.*\n/gm, '')
    .replaceAll(/<!-- (relay form html [^>]*) -->/g, '<!-- here stands what $1 prints -->')
    .replaceAll(/^ *<a href="\/other\/">.*\n/gm, '');
  return `\`\`\`${languages[file.replace(/.*\./, '')] ?? 'html'}\n${text.trimEnd()}\n\`\`\`\n`;
}

function siteGuide({ title, snippet, printed, own, tried, tips }: Guide): string {
  const parts = snippets(contactForm(), 'https://forms.example.com').find(
    ({ name }) => name === snippet,
  )?.parts;
  if (!parts) throw new Error(`the playground has nothing for ${snippet}`);
  const command = 'relay form html contact --base-url https://forms.example.com --script';
  return `# A form on your site: ${title}

The form \`contact\` of the relay at \`https://forms.example.com\`. Yours has other names: *Put it on my site* in the playground
writes these lines for it.

## Syntax

| Way | For |
| --- | --- |
| one tag, \`<relay-form>\` | a form that follows the config at once; without JavaScript there is a link in its place |
${printed ? '| [a printed form](../element.md#a-printed-form) | a form that is there at once, and works without JavaScript |\n' : ''}${own ? '| [HTML of your own](../element.md#a-form-of-your-own) | your own markup, with the relay’s errors at your fields |\n' : ''}
## Example

${parts.map(({ where, code }) => `${where.replaceAll(/<[^>]+>/g, '`$&`')}\n\n\`\`\`html\n${code}\n\`\`\`\n`).join('\n')}${
  printed
    ? `
### A printed form

\`\`\`sh
${command}
\`\`\`

${printed[1]}:

${sourceOf(printed[0])}`
    : ''
}${own ? `\n### HTML of your own\n\n${own[1]}:\n\n${sourceOf(own[0])}` : ''}
## Tips

${tips.map((tip) => `- ${tip}\n`).join('')}- \`ALLOWED_ORIGINS\` names your site, so that its pages may read what the relay answers ([reference](../reference.md#environment)).
- \`relay check contact.html --form contact\`, with the page that the build wrote, says whether it still fits the config.
- ${tried ?? 'These very lines are built and their forms are sent, in Chromium, by `npm run sites`.'}
`;
}

/** Every guide, by its path. */
export const siteGuides: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.entries(guides).map(([name, guide]) => [`docs/sites/${name}.md`, async () => siteGuide(guide)]),
);
