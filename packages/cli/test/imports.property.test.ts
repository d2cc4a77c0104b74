/** Forms of other services, each with every key that its documentation names, and with anything else in the place of some. */
import fc from 'fast-check';
import { load } from 'js-yaml';
import { holds } from '../../../test/support/fuzz.ts';
import { must } from '../../../test/support/must.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { formats, readImport } from '../../page/src/imports/read_import.ts';
import { configText } from '../../page/src/moving_in/config_text.ts';
import { formatProblem } from '../../yaml/src/problem.ts';

/** Each value says something. */
const sources = load(`
google:
  formId: f
  revisionId: r
  responderUri: https://r.example/
  linkedSheetId: l
  info:
    title: T
    documentTitle: D
    description: About
  settings: {quizSettings: {isQuiz: true}, emailCollectionType: VERIFIED}
  publishSettings: {publishState: {isPublished: false, isAcceptingResponses: false}}
  items:
    - {itemId: i, title: Q, questionItem: {question: {questionId: q, required: true, textQuestion: {paragraph: true}}}, description: Help}
    - {itemId: i, title: Q, questionItem: {question: {choiceQuestion: {type: RADIO, shuffle: true, options: [{value: a, image: {contentUri: https://p.example/, altText: a, properties: {width: 9, alignment: LEFT}}, goToAction: SUBMIT_FORM}, {value: b, goToSectionId: s}, {isOther: true}]}, grading: {pointValue: 1, whenRight: {text: 'yes'}}}}}
    - {itemId: i, title: Q, questionItem: {question: {choiceQuestion: {type: CHECKBOX, options: [{value: c}]}}}}
    - {itemId: i, title: Q, questionItem: {question: {choiceQuestion: {type: DROP_DOWN, options: [{value: d}]}}}}
    - {itemId: i, title: Q, questionItem: {question: {scaleQuestion: {low: 1, high: 5, lowLabel: bad, highLabel: good}}}}
    - {itemId: i, title: Q, questionItem: {question: {ratingQuestion: {ratingScaleLevel: 7, iconType: HEART}}}}
    - {itemId: i, title: Q, questionItem: {question: {dateQuestion: {includeTime: true, includeYear: false}}}}
    - {itemId: i, title: Q, questionItem: {question: {timeQuestion: {duration: true}}}}
    - {itemId: i, title: Q, questionItem: {question: {fileUploadQuestion: {folderId: x, types: [PDF], maxFiles: 2, maxFileSize: '2000000'}}}}
    - {title: Page, description: Second page, pageBreakItem: {}}
    - {title: Text, description: Small print, textItem: {}}
    - {title: Grid, questionGroupItem: {image: {contentUri: https://p.example/, altText: a, properties: {width: 9, alignment: LEFT}}, questions: [{required: true, rowQuestion: {title: one}}, {rowQuestion: {title: two}}], grid: {shuffleQuestions: true, columns: {type: CHECKBOX, shuffle: true, options: [{value: e}]}}}}
    - {title: Picture, imageItem: {image: {contentUri: https://p.example/, altText: a, properties: {width: 9, alignment: LEFT}}}}
    - {title: Film, videoItem: {caption: c, video: {youtubeUri: https://v.example/}}}
typeform:
  id: a
  type: form
  title: T
  created_at: '2026'
  last_updated_at: '2026'
  published_at: '2026'
  theme: {href: t}
  workspace: {href: w}
  self: {href: s}
  _links: {display: d}
  hidden: [source]
  variables: {score: 0, price: 1}
  outcome: {variable: score}
  logic:
    - {type: field, ref: r, actions: [{action: jump}]}
  settings:
    language: de
    is_public: false
    redirect_after_submit_url: https://x.example/
    google_analytics: G
    facebook_pixel: F
    google_tag_manager: M
    autosave_progress: true
    show_cookie_consent: true
    progress_bar: proportion
    meta: {allow_indexing: true}
    notifications: {self: {enabled: true, recipients: [me@x.example, '{{field:email}}'], reply_to: you@x.example, subject: New, message: Body}, respondent: {enabled: true, recipient: '{{field:email}}', reply_to: [r@x.example], subject: Hi, message: Thanks}}
  welcome_screens:
    - {title: Hello, properties: {description: d, button_text: Go}}
  thankyou_screens:
    - {ref: z, title: Bye, attachment: {href: https://p.example/}, properties: {description: Soon, show_button: true, button_mode: redirect, button_text: Blog, redirect_url: https://b.example/}}
    - {ref: 'y', title: Other, properties: {share_icons: true}}
  fields:
    - {id: x, ref: short_text, type: short_text, title: About short_text, properties: {description: Help}, validations: {required: true, max_length: 9}}
    - {id: x, ref: long_text, type: long_text, title: About long_text, properties: {}, validations: {max_length: 9}}
    - {id: x, ref: email, type: email, title: About email, properties: {}, validations: {}}
    - {id: x, ref: phone_number, type: phone_number, title: About phone_number, properties: {default_country_code: de}, validations: {}}
    - {id: x, ref: website, type: website, title: About website, properties: {}, validations: {}}
    - {id: x, ref: number, type: number, title: About number, properties: {}, validations: {min_value: 1, max_value: 9}}
    - {id: x, ref: date, type: date, title: About date, properties: {structure: DDMMYYYY, separator: .}, validations: {}}
    - {id: x, ref: dropdown, type: dropdown, title: About dropdown, properties: {choices: [{label: b}, {label: a}], alphabetical_order: true, randomize: true}, validations: {}}
    - {id: x, ref: multiple_choice, type: multiple_choice, title: About multiple_choice, properties: {choices: [{id: c, ref: r, label: a, attachment: {href: https://p.example/}}, {label: b}], allow_multiple_selection: true, allow_other_choice: true, vertical_alignment: true}, validations: {min_selection: 1, max_selection: 2}}
    - {id: x, ref: picture_choice, type: picture_choice, title: About picture_choice, properties: {choices: [{id: c, ref: r, label: a, attachment: {href: https://p.example/}}, {label: b}], supersized: true, show_labels: true}, validations: {}}
    - {id: x, ref: yes_no, type: yes_no, title: About yes_no, properties: {}, validations: {}}
    - {id: x, ref: legal, type: legal, title: About legal, properties: {}, validations: {required: true}}
    - {id: x, ref: opinion_scale, type: opinion_scale, title: About opinion_scale, properties: {steps: 7, start_at_one: true, labels: {left: l, center: c, right: r}}, validations: {}}
    - {id: x, ref: nps, type: nps, title: About nps, properties: {steps: 11, labels: {left: l, right: r}}, validations: {}}
    - {id: x, ref: rating, type: rating, title: About rating, properties: {steps: 7, shape: star}, validations: {}}
    - {id: x, ref: file_upload, type: file_upload, title: About file_upload, properties: {}, validations: {}}
    - {id: x, ref: address, type: address, title: About address, properties: {}, validations: {}}
    - {id: x, ref: statement, type: statement, title: About statement, properties: {description: More, hide_marks: true, button_text: Next}, validations: {}}
    - {id: x, ref: matrix, type: matrix, title: About matrix, properties: {fields: [{id: x, ref: multiple_choice, type: multiple_choice, title: About multiple_choice, properties: {choices: [{id: c, ref: r, label: a, attachment: {href: https://p.example/}}, {label: b}]}, validations: {required: true}}, {id: x, ref: multiple_choice, type: multiple_choice, title: Second, properties: {choices: [{label: z}]}, validations: {}}]}, validations: {}}
    - {id: x, ref: group, type: group, title: About group, properties: {description: Group, show_button: true, fields: [{id: x, ref: short_text, type: short_text, title: About short_text, properties: {}, validations: {}}]}, validations: {}}
    - {id: x, ref: payment, type: payment, title: About payment, properties: {currency: EUR}, validations: {}}
opnform:
  id: 7
  title: T
  description: About
  slug: t-abc
  language: de
  workspace_id: 3
  workspace: {id: 3, name: W}
  is_pro: true
  is_closed: false
  has_password: true
  max_number_of_submissions_reached: false
  form_pending_submission_key: k
  max_file_size: 5
  last_edited_human: yesterday
  closes_at: '2030-01-01T00:00:00Z'
  closed_text: <p>Closed</p>
  submit_button_text: Send
  submitted_text: <p>Thanks</p>
  redirect_url: https://x.example/
  max_submissions_count: 9
  max_submissions_reached_text: Full
  editable_submissions: true
  re_fillable: true
  enable_partial_submissions: true
  auto_save: true
  use_captcha: true
  password: p
  custom_code: <script></script>
  properties:
    - {id: a, name: About text, type: text, required: true, multi_lines: true, max_char_limit: 9, placeholder: P, help: H, prefill: F, hidden: true, secret_input: true, generates_uuid: true, logic: {conditions: {operatorIdentifier: and}, actions: [show-block]}}
    - {id: b, name: About text 2, type: text, max_char_limit: 9, placeholder: P}
    - {id: c, name: About email, type: email, max_char_limit: 9, placeholder: P}
    - {id: d, name: About phone, type: phone_number, placeholder: P, unavailable_countries: [DE]}
    - {id: e, name: About date, type: date, with_time: true, date_range: true, disable_past_dates: true, prefill_today: true}
    - {id: f, name: About select, type: select, without_dropdown: true, allow_creation: true, select: {options: [{id: A, name: A}, {id: B, name: B}]}}
    - {id: g, name: About several, type: multi_select, min_selection: 1, max_selection: 2, multi_select: {options: [{id: A, name: A}, {id: B, name: B}]}}
    - {id: h, name: About matrix, type: matrix, rows: [one], columns: [1, 2], selection_data: {one: null}}
    - {id: i, name: About rating, type: rating, rating_max_value: 7}
    - {id: j, name: About scale, type: scale, scale_min_value: 1, scale_max_value: 9, scale_step_value: 2}
    - {id: k, name: About slider, type: slider, slider_min_value: 1, slider_max_value: 9, slider_step_value: 2}
    - {id: l, name: About files, type: files, multiple: true, allowed_file_types: pdf}
    - {id: m, name: About signature, type: signature}
    - {id: n, name: Text, type: nf-text, content: <p>More</p>}
    - {id: o, name: About barcode, type: barcode, decoders: [qr_reader]}
formspree:
  forms:
    a:
      name: A
      allowExtraFields: true
      captcha: {type: recaptcha, recaptchaSecret: s}
      fields:
        email: {type: email, required: true}
        text: {type: text, minlength: 2, maxlength: 9, pattern: x+}
        many: {type: number, min: 1, max: 9, step: 2}
      actions:
        - {type: email, to: 'me@x.example, $TO', subject: New, replyTo: you@x.example, message: Body}
        - {type: webhook, url: https://h.example/}
        - {app: mailchimp, type: addOrUpdateContact, apiKey: $K}
relay:
  cache_ttl: 1m
  forms:
    a:
      confirmation: Thanks
      spam: {honeypot: website, min_fill_seconds: 3}
      fields:
        - {name: a, label: A, type: email, required: true, hint: H, placeholder: P, autocomplete: email, pattern: .+, min_length: 2, max_length: 9, wrapper: w, default: d}
        - {name: b, same: x, matches_field: a, show_when: {any: [{field: a, op: not_in, value: [x@y.example, y@y.example]}, {not: {field: a, gt: '5'}}]}}
        - {name: c, type: checkboxes, options: [{value: x, label: X}, 'y'], min_selected: 1, max_selected: 2, messages: {min_selected: More}}
        - {type: html, name: 'n', label: 'N', html: <p>Note</p>, show_when: {field: a, filled: true}}
      outputs:
        - {type: salesforce_web2lead, url: https://x.example/, on_error: continue, mapping: {a: a}, static: {b: c}}
`) as Record<'google' | 'typeform' | 'opnform' | 'formspree' | 'relay', Record<string, unknown>>;

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
  /(^|\.)(id|ref|type|formId|revisionId|responderUri|documentTitle|itemId|questionId|folderId|iconType|theme|workspace|self|_links|\w+_at|meta|href|progress_bar|enabled|share_icons|shape|structure|separator|vertical_alignment|supersized|show_labels|hide_marks|button_text|show_button|button_mode|slug|workspace_id|is_(pro|closed)|has_password|max_number_of_submissions_reached|form_pending_submission_key|max_file_size|last_edited_human|selection_data)(\.\w+)*$/;
/** Their remarks speak of all of it. */
const toldAsAWhole =
  /image|Item(\.(video|caption)|$)|quizSettings|shuffle|^fields\.properties$|^thankyou_screens\.(title|properties)$|grading|welcome_screens|attachment|^variables|^outcome|^logic|captcha\.|actions\.(url|apiKey|type)|respondent|publishState|currency|goTo|fields\.(name|label)$|^properties\.name$|decoders|^properties\.logic|options\.id/;

/** The source with one question at a time between two of the first, and the paths to try there: reading all of them each time is slow. */
function partsOf(source: Record<string, unknown>): (readonly [part: object, paths: (readonly Step[])[]])[] {
  const key = ['items', 'properties'].find((one) => one in source) ?? 'fields';
  const [first, ...others] = (source[key] ?? []) as readonly unknown[];
  if (others.length === 0) return [[source, [...pathsIn(source)]]];
  return others.map((one, index) => {
    const part = { ...source, [key]: [first, one, first] };
    return [part, pathsIn(part).filter(([top, at]) => index === 0 || (top === key && at === 1))];
  });
}

/** The relay has nothing like these questions, so the report names none of their keys. */
const unlike = ['["fields",20]', '["properties",14]'];

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
        !unlike.includes(JSON.stringify(path.slice(0, 2))),
    );
    await holds(
      60,
      [fc.constantFrom(...places), fc.constantFrom('some text', 7, true, { inner: 'x' })],
      async (path, value) => {
        const more = changed(source, path, (holder) => {
          holder.zz_unheard = value;
        });
        expect(await told(more)).toContain('zz_unheard');
      },
    );
  });
});

/** Every word that the tables of formats know: keys of paths, types, and what only looks like one. */
const known = [...new Set(JSON.stringify(formats).match(/[A-Za-z_]{3,}/g))];
const words = fc.constantFrom(
  ...known,
  ...[
    ...['__proto__', 'constructor', 'toString', '_ts', '', ' ', '<b>x</b>', '{{ .fields.x }}'],
    '[a](javascript:b)',
  ],
  ...[
    ...['\u0000', '\u202e', '\ud800', '😀', ': ', '- a', '"', "'", '#', '1e999', '-0', 'a.b', 'a\tb\n'],
    ...['/[/', '🙂'.repeat(99)],
  ],
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    words,
    fc.constantFrom(true, false, null, 0, 1, -1, 5, 11, 1.5, 1e21),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 5 }),
  ),
}));

/** A source with anything in the place of some of its values. */
const mutated = fc.constantFrom(...Object.values(sources).flatMap(partsOf)).chain(([part, paths]) => {
  const changes = fc.array(fc.tuple(fc.constantFrom(...paths), fc.oneof(words, anything)), { maxLength: 9 });
  return changes.map((all) => all.reduce((json, [path, value]) => replaced(json, path, value), part));
});

/** A copy with another value at a path, unless an earlier change took the path away. */
function replaced(json: object, path: readonly Step[], value: unknown): object {
  try {
    return changed(json, path, (holder, key) => {
      holder[key] = value;
    });
  } catch {
    return json;
  }
}

test('any JSON gives a config that loads, or a reason', () =>
  holds(150, [fc.oneof(anything, mutated)], async (json) => {
    const read = await readImport(JSON.stringify(json, null, 1), undefined);
    if (!read.ok) {
      expect(read.error).toMatch(/^\w/);
      return;
    }
    const config = configText(read.value, 'export.json', 'webform.schema.json');
    const parsed = parseConfig(config, 'webform.yaml');
    expect(parsed.ok ? [] : parsed.error.map(formatProblem), config).toEqual([]);
    expect(config.replaceAll('\n', '')).not.toMatch(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  }));

const short = (title: string) => ({ type: 'short_text', title });

test('a form of 10,000 fields is read at once, and each has a name of its own', async () => {
  const fields = Array.from({ length: 10_000 }, (_, at) => short(at % 2 ? 'Again' : `Question ${at}`));
  const [form] = must(await readImport(JSON.stringify({ title: 'Large', fields, _links: {} }), undefined));
  expect(new Set(form?.fields.map(({ name }) => name)).size).toBe(10_000);
});

test.each([
  ['endless lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'cannot be read'],
  ['half a file', '{"title": "x", "fields": [', 'cannot be read'],
  ['something else', '{"name": "package", "version": "1.0.0"}', 'expected a page'],
  ['no fields', '{"title": "x", "fields": [], "_links": {}}', 'no fields'],
  ['text', 'forms are fun', 'expected a page'],
  ['a list of forms', 'forms:\n  - a\n', 'expected a page'],
])('%s: an error that says why', async (_, text, why) => {
  const read = await readImport(text, undefined);
  expect(read.ok ? '' : read.error).toContain(why);
});
