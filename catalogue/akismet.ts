/** `signals: {akismet: {site: …}}`: asks Akismet (akismet.com/developers) about a submission. */

import type { MakePlugin, SignalInput } from 'form-relay/plugin';

const defaultUrl = 'https://rest.akismet.com/1.1/';
/** Akismet takes it for spam, but is not sure enough to discard it. */
const usual = 0.8;
/** Other fields, such as phone numbers and choices, are not sent. */
const textTypes = ['text', 'textarea', 'url'];

const make: MakePlugin = (kit) => {
  /** The parts of a submission that Akismet gets. */
  function commentOf(input: SignalInput): Readonly<Record<string, string>> {
    const { fields, values, headers, languages, address } = input;
    const typedInto = (field: Field | undefined) =>
      field ? kit.values.first(values, field.name).trim() : '';
    const name = fields.find(isName);
    const link = fields.find(({ type }) => type === 'url');
    const texts = fields.filter(
      (field) => textTypes.includes(field.type) && !isPhone(field) && field !== name && field !== link,
    );
    const comment = {
      comment_type: 'contact-form',
      user_ip: address ?? '',
      user_agent: headers?.['user-agent'] ?? '',
      referrer: headers?.referer ?? '',
      comment_author: typedInto(name),
      comment_author_email: typedInto(fields.find(({ type }) => type === 'email')),
      comment_author_url: typedInto(link),
      comment_content: texts.flatMap((field) => kit.values.all(values, field.name)).join('\n'),
      blog_lang: languages.join(', ').replaceAll('-', '_').toLowerCase(),
      blog_charset: 'UTF-8',
    };
    return Object.fromEntries(Object.entries(comment).filter(([, value]) => value !== ''));
  }

  return {
    name: 'akismet',
    summary: 'Asks Akismet whether a submission is spam.',
    signals: [
      kit.signal({
        name: 'akismet',
        summary:
          'Asks Akismet about the submission. Akismet receives texts, links and mail addresses from its fields, and the sender’s IP address, browser and page.',
        weight: 5,
        keys: {
          key_env: kit.key.withDefault('AKISMET_KEY', 'Environment variable with the key.', kit.key.text()),
          site: kit.key.optional(
            'Front page of the site that the key is for. Default: PUBLIC_URL.',
            kit.key.httpUrl(),
          ),
          url: kit.key.withDefault(defaultUrl, 'Another address of the service.', kit.key.httpUrl()),
        },
        needs: ({ key_env, site }) => (site ? [key_env] : [key_env, 'PUBLIC_URL']),
        score: async ({ key_env, site, url }, input, { http, env }) => {
          if (!input.address) throw kit.fail('the sender’s IP address is unknown');
          const form = {
            api_key: env(key_env)?.trim() ?? '',
            blog: site?.href ?? env('PUBLIC_URL') ?? '',
            ...commentOf(input),
          };
          if (form.api_key === '') throw kit.fail(`${key_env} is not set`);
          const { body, headers } = await http.send({
            url: new URL('comment-check', url.href.endsWith('/') ? url : `${url}/`),
            headers: { 'user-agent': 'Form Relay' },
            form,
          });
          const says = body.trim();
          if (says === 'invalid') throw kit.fail('the service rejected the key');
          if (says !== 'true' && says !== 'false') throw kit.fail('the response has no verdict');
          if (says === 'false') return undefined;
          return headers['x-akismet-pro-tip'] === 'discard'
            ? { score: 1, why: 'certainly spam' }
            : { score: usual, why: 'spam' };
        },
      }),
    ],
    messages: {
      ar: { signal_akismet: 'يعدّها Akismet رسالة مزعجة' },
      cs: { signal_akismet: 'Akismet to považuje za spam' },
      da: { signal_akismet: 'Akismet anser det for spam' },
      de: { signal_akismet: 'Akismet hält es für Spam' },
      en: { signal_akismet: 'classified as spam by Akismet' },
      es: { signal_akismet: 'Akismet lo considera spam' },
      fi: { signal_akismet: 'Akismet pitää roskapostina' },
      fr: { signal_akismet: 'Akismet le considère comme du spam' },
      he: { signal_akismet: 'Akismet מסווג זאת כספאם' },
      it: { signal_akismet: 'Akismet lo considera spam' },
      ja: { signal_akismet: 'Akismet が迷惑メールと判定' },
      ko: { signal_akismet: 'Akismet이 스팸으로 판정' },
      nl: { signal_akismet: 'volgens Akismet spam' },
      pl: { signal_akismet: 'Akismet uznaje to za spam' },
      pt: { signal_akismet: 'o Akismet considera-o spam' },
      sv: { signal_akismet: 'Akismet anser det vara skräppost' },
      tr: { signal_akismet: 'Akismet bunu spam sayıyor' },
      uk: { signal_akismet: 'Akismet вважає це спамом' },
      zh: { signal_akismet: 'Akismet 判定为垃圾信息' },
    },
  };
};

export default make;

type Field = SignalInput['fields'][number];

/** By its `autocomplete`, or by a word in its name. */
const isPhone = ({ name, autocomplete }: Field) =>
  autocomplete === undefined
    ? /(^|[-_.])(tel|telefon\w*|t[eé]l[eé]phone|telephone|phone|mobile?|handy|fax)([-_.]|number|$)/i.test(
        name.replaceAll(/[a-z](?=[A-Z])/g, '$&_'),
      )
    : /^tel(-|$)/.test(autocomplete.split(' ').at(-1) ?? '');

const isName = ({ name, type, autocomplete }: Field) =>
  type === 'text' && (autocomplete === undefined ? name === 'name' : autocomplete === 'name');
