import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/fuzz.ts';
import { must } from '../../../test/support/must.ts';
import { readImport } from '../../page/src/imports/read_import.ts';
import { configText } from '../../page/src/moving_in/config_text.ts';

/** Every key that the documentation of each source names, each with a value that says something. */
const question = (question: object, more = {}) => ({
  itemId: 'i',
  title: 'Q',
  questionItem: { question },
  ...more,
});
const picture = {
  contentUri: 'https://p.example/',
  altText: 'a',
  properties: { width: 9, alignment: 'LEFT' },
};
const choices = {
  type: 'RADIO',
  shuffle: true,
  options: [
    { value: 'a', image: picture, goToAction: 'SUBMIT_FORM' },
    { value: 'b', goToSectionId: 's' },
    { isOther: true },
  ],
};
const google = {
  formId: 'f',
  revisionId: 'r',
  responderUri: 'https://r.example/',
  linkedSheetId: 'l',
  info: { title: 'T', documentTitle: 'D', description: 'About' },
  settings: { quizSettings: { isQuiz: true }, emailCollectionType: 'VERIFIED' },
  publishSettings: { publishState: { isPublished: false, isAcceptingResponses: false } },
  items: [
    question({ questionId: 'q', required: true, textQuestion: { paragraph: true } }, { description: 'Help' }),
    question({ choiceQuestion: choices, grading: { pointValue: 1, whenRight: { text: 'yes' } } }),
    question({ choiceQuestion: { type: 'CHECKBOX', options: [{ value: 'c' }] } }),
    question({ choiceQuestion: { type: 'DROP_DOWN', options: [{ value: 'd' }] } }),
    question({ scaleQuestion: { low: 1, high: 5, lowLabel: 'bad', highLabel: 'good' } }),
    question({ ratingQuestion: { ratingScaleLevel: 7, iconType: 'HEART' } }),
    question({ dateQuestion: { includeTime: true, includeYear: false } }),
    question({ timeQuestion: { duration: true } }),
    question({ fileUploadQuestion: { folderId: 'x', types: ['PDF'], maxFiles: 2, maxFileSize: '2000000' } }),
    { title: 'Page', description: 'Second page', pageBreakItem: {} },
    { title: 'Text', description: 'Small print', textItem: {} },
    {
      title: 'Grid',
      questionGroupItem: {
        image: picture,
        questions: [{ required: true, rowQuestion: { title: 'one' } }, { rowQuestion: { title: 'two' } }],
        grid: {
          shuffleQuestions: true,
          columns: { type: 'CHECKBOX', shuffle: true, options: [{ value: 'e' }] },
        },
      },
    },
    { title: 'Picture', imageItem: { image: picture } },
    { title: 'Film', videoItem: { caption: 'c', video: { youtubeUri: 'https://v.example/' } } },
  ],
};

const asked = (type: string, properties = {}, validations = {}) => ({
  id: 'x',
  ref: type,
  type,
  title: `About ${type}`,
  properties,
  validations,
});
const options = {
  choices: [{ id: 'c', ref: 'r', label: 'a', attachment: { href: 'https://p.example/' } }, { label: 'b' }],
};
const notified = {
  self: {
    enabled: true,
    recipients: ['me@x.example', '{{field:email}}'],
    reply_to: 'you@x.example',
    subject: 'New',
    message: 'Body',
  },
  respondent: {
    enabled: true,
    recipient: '{{field:email}}',
    reply_to: ['r@x.example'],
    subject: 'Hi',
    message: 'Thanks',
  },
};
const typeform = {
  id: 'a',
  type: 'form',
  title: 'T',
  created_at: '2026',
  last_updated_at: '2026',
  published_at: '2026',
  theme: { href: 't' },
  workspace: { href: 'w' },
  self: { href: 's' },
  _links: { display: 'd' },
  hidden: ['source'],
  variables: { score: 0, price: 1 },
  outcome: { variable: 'score' },
  logic: [{ type: 'field', ref: 'r', actions: [{ action: 'jump' }] }],
  settings: {
    language: 'de',
    is_public: false,
    redirect_after_submit_url: 'https://x.example/',
    google_analytics: 'G',
    facebook_pixel: 'F',
    google_tag_manager: 'M',
    autosave_progress: true,
    show_cookie_consent: true,
    progress_bar: 'proportion',
    meta: { allow_indexing: true },
    notifications: notified,
  },
  welcome_screens: [{ title: 'Hello', properties: { description: 'd', button_text: 'Go' } }],
  thankyou_screens: [
    {
      ref: 'z',
      title: 'Bye',
      attachment: { href: 'https://p.example/' },
      properties: {
        description: 'Soon',
        show_button: true,
        button_mode: 'redirect',
        button_text: 'Blog',
        redirect_url: 'https://b.example/',
      },
    },
    { ref: 'y', title: 'Other', properties: { share_icons: true } },
  ],
  fields: [
    asked('short_text', { description: 'Help' }, { required: true, max_length: 9 }),
    asked('long_text', {}, { max_length: 9 }),
    asked('email'),
    asked('phone_number', { default_country_code: 'de' }),
    asked('website'),
    asked('number', {}, { min_value: 1, max_value: 9 }),
    asked('date', { structure: 'DDMMYYYY', separator: '.' }),
    asked('dropdown', {
      choices: [{ label: 'b' }, { label: 'a' }],
      alphabetical_order: true,
      randomize: true,
    }),
    asked(
      'multiple_choice',
      { ...options, allow_multiple_selection: true, allow_other_choice: true, vertical_alignment: true },
      { min_selection: 1, max_selection: 2 },
    ),
    asked('picture_choice', { ...options, supersized: true, show_labels: true }),
    asked('yes_no'),
    asked('legal', {}, { required: true }),
    asked('opinion_scale', { steps: 7, start_at_one: true, labels: { left: 'l', center: 'c', right: 'r' } }),
    asked('nps', { steps: 11, labels: { left: 'l', right: 'r' } }),
    asked('rating', { steps: 7, shape: 'star' }),
    asked('file_upload'),
    asked('address'),
    asked('statement', { description: 'More', hide_marks: true, button_text: 'Next' }),
    asked('matrix', {
      fields: [
        asked('multiple_choice', options, { required: true }),
        { ...asked('multiple_choice', { choices: [{ label: 'z' }] }), title: 'Second' },
      ],
    }),
    asked('group', { description: 'Group', show_button: true, fields: [asked('short_text')] }),
    asked('payment', { currency: 'EUR' }),
  ],
};

const formspree = {
  forms: {
    a: {
      name: 'A',
      allowExtraFields: true,
      captcha: { type: 'recaptcha', recaptchaSecret: 's' },
      fields: {
        email: { type: 'email', required: true },
        text: { type: 'text', minlength: 2, maxlength: 9, pattern: 'x+' },
        many: { type: 'number', min: 1, max: 9, step: 2 },
      },
      actions: [
        { type: 'email', to: 'me@x.example, $TO', subject: 'New', replyTo: 'you@x.example', message: 'Body' },
        { type: 'webhook', url: 'https://h.example/' },
        { app: 'mailchimp', type: 'addOrUpdateContact', apiKey: '$K' },
      ],
    },
  },
};

const relay = {
  cache_ttl: '1m',
  forms: {
    a: {
      confirmation: 'Thanks',
      spam: { honeypot: 'website', min_fill_seconds: 3 },
      fields: [
        {
          name: 'a',
          label: 'A',
          type: 'email',
          required: true,
          hint: 'H',
          placeholder: 'P',
          autocomplete: 'email',
          pattern: '.+',
          min_length: 2,
          max_length: 9,
          wrapper: 'w',
          default: 'd',
        },
        {
          name: 'b',
          same: 'x',
          matches_field: 'a',
          show_when: {
            any: [
              { field: 'a', op: 'not_in', value: ['x@y.example', 'y@y.example'] },
              { not: { field: 'a', gt: '5' } },
            ],
          },
        },
        {
          name: 'c',
          type: 'checkboxes',
          options: [{ value: 'x', label: 'X' }, 'y'],
          min_selected: 1,
          max_selected: 2,
          messages: { min_selected: 'More' },
        },
        { type: 'html', name: 'n', label: 'N', html: '<p>Note</p>', show_when: { field: 'a', filled: true } },
      ],
      outputs: [
        {
          type: 'salesforce_web2lead',
          url: 'https://x.example/',
          on_error: 'continue',
          mapping: { a: 'a' },
          static: { b: 'c' },
        },
      ],
    },
  },
};

const sources = { google, typeform, formspree, relay };

/** The config with its remarks, or the error. */
async function told(source: object): Promise<string> {
  const read = await readImport(JSON.stringify(source), undefined);
  return read.ok ? configText(must(read), 'x', 's.json') : read.error;
}

type Step = string | number;
/** The places of all keys. */
function pathsIn(value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner === 'object' && Object.keys(inner ?? {}).length === 0) return [];
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [...(Array.isArray(value) ? [] : [here]), ...pathsIn(inner, here)];
  });
}
const shown = (path: readonly Step[]) => path.filter((step) => typeof step === 'string').join('.');

/** A copy with something else at a path. */
function changed(
  source: object,
  path: readonly Step[],
  change: (holder: Record<Step, unknown>, key: Step) => void,
) {
  const copy = structuredClone(source) as Record<Step, unknown>;
  const holder = path.slice(0, -1).reduce((at, step) => at[step] as Record<Step, unknown>, copy);
  change(holder, path.at(-1) ?? '');
  return copy;
}

/** Keys by which the source knows itself, or how it looks: they mean nothing to a relay. */
const meaningless =
  /(^|\.)(id|ref|type|formId|revisionId|responderUri|documentTitle|itemId|questionId|folderId|iconType|theme|workspace|self|_links|\w+_at|meta|href|progress_bar|enabled|share_icons|shape|structure|separator|vertical_alignment|supersized|show_labels|hide_marks|button_text|show_button|button_mode)(\.\w+)*$/;
/** Their remarks speak of all of it. */
const toldAsAWhole =
  /image|Item(\.(video|caption)|$)|quizSettings|shuffle|^fields\.properties$|^thankyou_screens\.(title|properties)$|grading|welcome_screens|attachment|^variables|^outcome|^logic|captcha\.|actions\.(url|apiKey|type)|respondent|publishState|currency|goTo|fields\.(name|label)$/;

/** The source with one question at a time between two of the first, and the paths to try there: reading all of them each time is slow. */
function partsOf(source: Record<string, unknown>): (readonly [part: object, paths: (readonly Step[])[]])[] {
  const key = 'items' in source ? 'items' : 'fields';
  const [first, ...others] = (source[key] ?? []) as readonly unknown[];
  if (others.length === 0) return [[source, [...pathsIn(source)]]];
  return others.map((one, index) => {
    const part = { ...source, [key]: [first, one, first] };
    return [part, pathsIn(part).filter(([top, at]) => index === 0 || (top === key && at === 1))];
  });
}

/** The relay has nothing like it, so the report names none of its keys. */
const payment = JSON.stringify(['fields', typeform.fields.findIndex(({ type }) => type === 'payment')]);

describe.each(Object.entries(sources))('%s', (_, source) => {
  test('every key changes the config or the remarks, or means nothing to a relay', async () => {
    const silent: string[] = [];
    for (const [part, paths] of partsOf(source)) {
      const whole = await told(part);
      for (const path of paths) {
        const without = changed(part, path, (holder, key) => delete holder[key]);
        if ((await told(without)) === whole) silent.push(shown(path));
      }
    }
    expect(silent.filter((path) => !meaningless.test(path) && !toldAsAWhole.test(path))).toEqual([]);
  });

  test('a key that nobody knows is named', async () => {
    const places = pathsIn(source).filter(
      (path) =>
        !toldAsAWhole.test(shown(path)) &&
        !/theme|workspace|self|_links|meta|href|actions|screens/.test(shown(path)) &&
        JSON.stringify(path.slice(0, 2)) !== payment,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.constantFrom('some text', 7, true, { inner: 'x' }),
        async (path, value) => {
          const more = changed(source, path, (holder) => {
            holder.zz_unheard = value;
          });
          expect(await told(more)).toContain('zz_unheard');
        },
      ),
      runs(60),
    );
  });
});
