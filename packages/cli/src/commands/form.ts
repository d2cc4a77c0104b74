import { html } from '@form-relay/base/html';
import { publicPathOf } from '@form-relay/base/url';
import {
  type Command,
  CommandFailed,
  command,
  findForm,
  flag,
  needed,
  option,
} from '@form-relay/core/command';
import type { Form } from '@form-relay/core/form';
import type { Locale, Text } from '@form-relay/core/messages/message';
import type { Plugin } from '@form-relay/core/plugin';
import type {} from '@form-relay/languages/index';
import { canonicalTag, parentAmong } from '@form-relay/languages/negotiate';
import { loadWords, writtenLanguages } from '@form-relay/languages/words';
import { formTag, type Printing, printedForm, scriptTag, styleLink } from '@form-relay/pages/printed_form';
import { loadConfig } from '@form-relay/runtimes/config_file';
import { bundledRegistry } from '@form-relay/runtimes/inspect';
import { anyText, textSchema } from '@form-relay/schema/scalars';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { publicUrl } from '@form-relay/schema/variables';
import { namedPlugins } from '../environment.ts';
import { relayAddress } from '../shared_options.ts';

/** The tag of a language. */
const languageTag = textSchema(
  (text, at) => canonicalTag(text) ?? at.error('Expected a language tag, such as de or pt-BR.'),
);

const list = command({
  name: 'list',
  summary: 'print all form names, one per line, sorted',
  examples: [['relay form list', 'such as contact']],
  run: async (_, { configOption, print }) => {
    const { forms } = await loadConfig(configOption);
    for (const name of [...forms.keys()].sort()) print(`${name}\n`);
  },
});

const htmlCommand = command({
  name: 'html',
  summary: 'print the HTML of a form',
  description: 'print the HTML <form> element of a form, to paste into any page',
  arguments: { name: needed('name', 'the name of the form', anyText) },
  options: {
    baseUrl: option('url', "the relay's address, for a page on another origin", relayAddress),
    script: flag('also print the tag that loads the script; needed once per page'),
    noStyle: flag("leave out the link to the relay's stylesheet (with --tag and --script)"),
    tag: flag('print the tag that loads the form, and the script'),
    lang: option(
      'language',
      'for a form in several languages: the language (default: the first)',
      languageTag,
    ),
  },
  examples: [
    ['relay form html contact --tag', 'a few lines, which the script replaces with the form'],
    ['relay form html contact --script', "for a page on the relay's own site"],
    ['relay form html contact --base-url https://forms.example.com --script', 'for any other page'],
  ],
  run: ({ name, noStyle, ...options }, { configOption }) =>
    printForm(name, { ...options, style: !noStyle, config: configOption }),
});

const schema = command({
  name: 'schema',
  summary: 'print a form as JSON Schema',
  description:
    'print a form as JSON Schema, like /api/v1/form/NAME?as=json but without the values that change for each visitor',
  arguments: { name: needed('name', 'the name of the form', anyText) },
  options: {
    baseUrl: option('url', "the relay's address, for programs elsewhere", relayAddress),
    lang: option(
      'language',
      'for a form in several languages: the language (default: the first)',
      languageTag,
    ),
  },
  examples: [
    ['relay form schema contact', 'the values that a program may send, with labels, layout and conditions'],
  ],
  run: async ({ name, baseUrl, lang }, { configOption, print }) => {
    const { formSchema } = await import('@form-relay/form-data/form_schema');
    const form = findForm(await loadConfig(configOption), name);
    const described = { locale: localeFor(form, lang), base: baseOf(baseUrl) };
    print(`${JSON.stringify(formSchema(form, described), null, 2)}\n`);
  },
});

const messages = command({
  name: 'messages',
  summary: 'print the texts for visitors, as YAML',
  description:
    'print all texts for visitors in a language, as YAML for `messages`: change single texts, or translate all of them',
  arguments: {
    language: { ...option('language', 'a language tag, such as de or pt-BR', languageTag), fallback: 'en' },
  },
  examples: [
    ['relay form messages de', 'all texts in German'],
    ['relay form messages > esperanto.yaml', 'all texts, to translate for messages'],
  ],
  run: ({ language = 'en' }, { configOption }) => printMessages(language, configOption),
});

const css = command({
  name: 'css',
  summary: 'print a stylesheet for forms',
  description: 'print the stylesheet of forms, as /api/v1/form.css has it, to serve it with your own pages',
  options: {
    form: option('name', 'append the look of this form', anyText),
    baseUrl: option('url', "the relay's address, which serves the font of the look", relayAddress),
  },
  examples: [
    ['relay form css > form-relay.css', 'to serve it with your own stylesheets'],
    ['relay form css --form contact > contact.css', 'with the look of a form'],
  ],
  run: async ({ form, baseUrl }, { configOption, print }) => {
    const found = form === undefined ? undefined : findForm(await loadConfig(configOption), form);
    const look = found?.provided.get('look');
    const { formStyle } = await import('@form-relay/element/built/style');
    print(formStyle.toString().trimStart());
    if (!found || !look) return;
    const { siteLook } = await import('@form-relay/pages/look/style');
    print(siteLook(found, look, baseUrl));
  },
});

const form: Command = {
  name: 'form',
  summary: 'list and print the forms of the config',
  commands: [list, htmlCommand, schema, messages, css],
};

export const plugin: Plugin = { name: 'form', commands: [form] };

interface PrintOptions extends Omit<Printing, 'locale'> {
  readonly config: string | undefined;
  /** The relay's URL, for pages of another origin. */
  readonly baseUrl?: string;
  /** Prints only the tag that the script turns into the form. */
  readonly tag?: boolean;
  /** The language, for a form in several languages. Default: the first. */
  readonly lang?: string;
}

/**
 * Prints a form to paste into a page: the `<form>` element, or the tag that the script replaces. The page
 * fetches its min-fill token, because a printed token would expire.
 */
export async function printForm(name: string, options: PrintOptions): Promise<void> {
  const form = findForm(await loadConfig(options.config), name);
  const { style = true, tag, lang } = options;
  const base = baseOf(options.baseUrl);
  const locale = localeFor(form, lang);
  const markup = tag
    ? html`${style && html`${styleLink(base, form)}\n`}${scriptTag(base)}\n${formTag(form, base, locale)}\n`
    : printedForm(form, base, { ...options, locale });
  process.stdout.write(String(markup));
}

const baseOf = (url: string | undefined): string => (url ?? ownPath()).replace(/\/+$/, '');

/** The path at which pages of the relay's own site reach the relay. */
function ownPath(): string {
  const read = publicUrl(process.env.PUBLIC_URL ?? '');
  return read.ok ? publicPathOf(read.value) : '';
}

/** Printed forms ask for answers in their own language. */
function localeFor(form: Form, wanted: string | undefined): Locale {
  const first = form.locale(undefined);
  if (wanted === undefined) return first;
  const languages = form.provided.get('languages');
  const { language = 'en' } = first;
  const locale = languages
    ? languages.localeOf(wanted)
    : wanted.split('-', 1)[0] === language
      ? first
      : undefined;
  if (locale) return locale;
  const spoken = languages?.offered ?? [language];
  throw new CommandFailed(`"${form.id}" has no texts in "${wanted}"; its languages are ${spoken.join(', ')}`);
}

/** Prints every text of a language in the format of a config. Plug-ins of the config may add languages. */
async function printMessages(language: string, configOption: string | undefined): Promise<void> {
  const plugins = await namedPlugins(configOption);
  const spoken = [
    ...new Set([...writtenLanguages, ...plugins.flatMap(({ messages = {} }) => Object.keys(messages))]),
  ];
  const tag = parentAmong(language, spoken);
  if (tag === undefined) {
    const near = didYouMean(nearest(language, spoken));
    throw new CommandFailed(
      `the relay has no texts in "${language}"${near}; its languages are ${spoken.join(', ')}`,
    );
  }
  const { messagesIn } = await bundledRegistry(plugins);
  const texts = { ...(await loadWords(parentAmong(tag, writtenLanguages) ?? '')), ...messagesIn(tag) };
  const lines = Object.entries(texts).map(([code, text]) => `${code}:${inYaml(text)}\n`);
  process.stdout.write(lines.join(''));
}

/** YAML accepts JSON's quoted strings. */
const inYaml = (text: Text): string =>
  typeof text === 'string'
    ? ` ${JSON.stringify(text)}`
    : Object.entries(text)
        .map(([form, words]) => `\n  ${form}: ${JSON.stringify(words)}`)
        .join('');
