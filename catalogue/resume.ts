/**
 * A link with which visitors can continue later, on any device. The link contains their encrypted answers,
 * and the relay stores nothing.
 */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type {
  Field,
  FormMarkup,
  FormView,
  Html,
  MakePlugin,
  Outcome,
  Schema,
  SendVisitorMail,
  Services,
  Submission,
  Values,
} from 'form-relay/plugin';
import script from './built/resume.ts';
import { isOf, keptFields } from './kept_fields.ts';
import { words as messages } from './resume_words.ts';

/** The name of the button that saves, and the parameter of the link. */
const saved = '_resume';

const dayMs = 86_400_000;
/** The maximum lengths of links: mail scanners truncate longer ones (`mailed`); servers and proxies accept 6,000 characters. */
const most = { mailed: 2_000, shown: 6_000 };
/** The maximum before compression. */
const mostBytes = 65_536;

interface Draft {
  /** When the link expires, in milliseconds since the epoch. */
  readonly until: number;
  /** The fields at the time of saving. */
  readonly form: string;
  readonly values: readonly (readonly [name: string, values: readonly string[]])[];
  /** The names of the files, which the link does not contain. */
  readonly files: readonly string[];
  readonly step: string;
}
type Opened = Draft | 'unknown' | 'expired';

interface Resume {
  readonly to: string | undefined;
  readonly expires: number;
  readonly page: URL | undefined;
  readonly zone: string;
  readonly fields: readonly Field[];
  readonly send: SendVisitorMail | undefined;
}

const make: MakePlugin = (kit) => {
  const ofMail = <T>(what: string, kind: Schema<T>) => kit.key.optional(`${what}.`, kind);
  /** By language, if the form has several. */
  const words = () => kit.key.either(kit.key.template(), kit.key.map(kit.key.template()));
  const block = kit.key.block({
    to: kit.key.optional(
      'The `email` field with the address (`mail`). Default: the only one.',
      kit.key.text(),
    ),
    expires: kit.key.withDefault(
      '7d',
      'Lifetime of the link, up to 90 days.',
      kit.key.duration({ hasDays: true, leastMs: 60_000, mostMs: 90 * dayMs }),
    ),
    page: kit.key.optional(
      'Your page with the form, for the link. Default: the relay’s own page.',
      kit.key.httpUrl(),
    ),
    subject: ofMail('Subject of the mail', words()),
    text: ofMail('Text of the mail', words()),
    html: ofMail('Whether the mail is HTML', kit.key.boolean()),
    footer: ofMail('Footer of the mail', words()),
    from: ofMail('Sender of the mail (`forms@example.com`)', kit.key.text()),
    reply_to: ofMail('Address for replies', kit.key.template()),
    through: ofMail(
      'Mail server, as in `verification_mail`',
      kit.key.map((written: unknown) => written),
    ),
    per_hour: ofMail('Maximum number of mails an hour', kit.key.whole({ least: 1, most: 10_000 })),
  });

  const shapeOf = (fields: readonly Field[]) =>
    createHash('sha256')
      .update(
        JSON.stringify(
          fields.map(({ name, type, options }) => [name, type, options?.map((one) => one.value)]),
        ),
      )
      .digest('base64url')
      .slice(0, 6);
  const use = (form: string) => `resume ${form}`;
  const secretOf = (services: Services) => services.env('FORM_TOKEN_SECRET') ?? '';

  const opened = new WeakMap<object, Opened>();
  function open(token: string, { form, services, now = 0 }: FormView): Opened {
    const sealed = services && kit.unseal(secretOf(services), use(form.id), token);
    try {
      const text = inflateRawSync(Buffer.from(sealed ?? '', 'base64'), { maxOutputLength: mostBytes });
      const draft: Draft = JSON.parse(text.toString());
      return now > draft.until ? 'expired' : draft;
    } catch {
      return 'unknown';
    }
  }

  /** The values that the form still accepts. */
  const fitting = ({ values }: Draft, fields: readonly Field[]): Values =>
    new Map(
      values.flatMap(([name, sent]) => {
        const field = fields.find((one) => isOf(one, name));
        const { options } = field?.inputs?.all.find((one) => one.name === name) ?? field ?? {};
        const fit = sent.filter((value) => options?.some((one) => one.value === value) ?? true);
        return field && (fit.length > 0 || sent.length === 0) ? [[name, fit] as const] : [];
      }),
    );

  async function save(resume: Resume, submission: Submission, asked: string): Promise<Outcome> {
    const { form, services, sent, sentFiles, receivedAt, request } = submission;
    const [kind, step = ''] = asked.split(' ');
    const isMailed = kind === '1' && resume.send !== undefined;
    const publicUrl = services.env('PUBLIC_URL');
    if (secretOf(services) === '' || !publicUrl)
      return { ...kit.refused(500, 'undelivered'), why: 'FORM_TOKEN_SECRET or PUBLIC_URL is not set' };
    const until = receivedAt + resume.expires;
    const values = [...sent]
      .filter(([name]) => resume.fields.some((field) => isOf(field, name)))
      .map(([name]) => [name, kit.values.all(sent, name)] as const);
    // Browsers send nothing for an unticked box, which must not be ticked again.
    for (const { name, value } of resume.fields) if (value && !sent.has(name)) values.push([name, []]);
    const files = [...sentFiles.values()].flat().map(({ name }) => name);
    const draft: Draft = { until, form: shapeOf(form.fields), values, files, step };
    const packed = deflateRawSync(JSON.stringify(draft)).toString('base64');
    const locale = form.locale(request);
    const link = new URL(resume.page ?? `${publicUrl.replace(/\/$/, '')}/f/${encodeURIComponent(form.id)}`);
    for (const [name, value] of new URLSearchParams(locale.query)) link.searchParams.set(name, value);
    // Keeps an owner's fill-in link, which still fills in the form until it expires.
    for (const one of kit.values.all(sent, 'fill')) link.searchParams.append('fill', one);
    link.searchParams.set(saved, kit.seal(secretOf(services), use(form.id), packed));
    const { href } = link;
    if (href.length > (isMailed ? most.mailed : most.shown)) {
      const sizeOf = (name: string) => kit.values.all(sent, name).join('').length;
      const longest = values.map(([name]) => name).toSorted((a, b) => sizeOf(b) - sizeOf(a))[0] ?? '';
      return kit.refused(422, [kit.problem(longest, 'resume_too_long')]);
    }
    const time = kit.time.moment(until, resume.zone);
    const json = { resume: { link: href, until: new Date(until).toISOString(), files } };
    const done = { kind: 'saved', status: 200, showsForm: true, isQuestion: true, json } as const;
    if (!isMailed) return { ...done, message: kit.message('resume_saved', { time }) };
    const failed = await mail(resume, submission, { href, time });
    return failed
      ? { ...failed, ...(failed.status !== 422 && { json }), showsForm: true }
      : { ...done, message: kit.message('resume_sent', { time }) };
  }

  /** Checks only the address, because the rest may be incomplete. */
  async function mail(
    { to = '', send }: Resume,
    submission: Submission,
    { href, time }: { readonly href: string; readonly time: ReturnType<typeof kit.time.moment> },
  ): Promise<Outcome | undefined> {
    const { form, sent, request } = submission;
    const field = form.fields.find(({ name }) => name === to);
    const addresses = kit.values.all(sent, to);
    const wrong =
      addresses.length === 0 ? kit.problem(to, 'resume_address') : field?.check(addresses, submission);
    if (wrong) return kit.refused(422, [wrong]);
    // The owner's text may include choices, but nothing that a visitor wrote.
    const chosen = form.fields.flatMap(({ name, options }) => {
      const values = kit.values.all(sent, name);
      const isOffered = (value: string) => options?.some((one) => one.value === value);
      return values.length > 0 && values.every(isOffered) ? [[name, values] as const] : [];
    });
    submission.values = new Map([...chosen, [to, addresses]]);
    const words = form.locale(request).translate({ code: 'resume_open' });
    return send?.(submission, { button: { words, href }, params: { time } });
  }

  const paragraph = (words: string): Html => kit.html.tag`<p class="field-note">${words}</p>\n`;

  function markup(resume: Resume, view: FormView): FormMarkup {
    const { locale, request, outcome, classes = {} } = view;
    const own = `field-button form-resume ${classes.back ?? classes.button ?? ''}`.trim();
    const say = (code: string, params = {}) => locale.translate({ code, params });
    const button = (value: string, code: string) =>
      kit.html
        .tag`<button type="submit" name="${saved}" value="${value}" formnovalidate class="${own}">${say(code)}</button>\n`;
    const {
      resume: made,
    }: { readonly resume?: { readonly link: string; readonly files: readonly string[] } } =
      outcome?.json ?? {};
    const draft = request && opened.get(request);
    const files = made?.files ?? (typeof draft === 'object' ? draft.files : []);
    const isChanged = typeof draft === 'object' && draft.form !== shapeOf(view.fields);
    const notes = [
      draft === 'unknown' && paragraph(say('resume_unknown')),
      draft === 'expired' && paragraph(say('resume_expired')),
      isChanged && paragraph(say('resume_changed')),
      files.length > 0 && paragraph(say('resume_files', { files: files.join(', ') })),
    ];
    return {
      before: kit.html.tag`${notes}`,
      after: kit.html
        .tag`${made && kit.html.tag`<p class="form-resume-link"><a href="${made.link}">${say('resume_open')}</a></p>\n`}<p class="form-later">${button('link', 'resume_keep')}${resume.send && button('1', 'resume_button')}</p>\n`,
      part: 'resume',
      ...((made || typeof draft === 'object') && { isUnstored: true }),
    };
  }

  return {
    name: 'resume',
    summary: 'Gives visitors a link to continue later.',
    scripts: { resume: () => script },
    messages,
    features: [
      kit.feature({
        name: 'resume',
        after: ['captcha', 'min_fill', 'proof', 'spam_score'],
        reads: ['visitor_mail'],
        keys: {
          form: {
            resume: kit.key.optional(
              'Adds a button *Save for later* that gives visitors a link with their sealed answers, by mail if the form sends mails; the relay stores nothing (docs/saving-for-later.md). Needs FORM_TOKEN_SECRET and PUBLIC_URL.',
              kit.key.either(kit.key.boolean(), block),
            ),
          },
        },
        configure: ({ form, top, fields, outputTypes, provided }, at) => {
          if (!form.resume) return undefined;
          const place = at.in('resume');
          place.needsEnv('FORM_TOKEN_SECRET', 'PUBLIC_URL');
          const written = form.resume === true ? undefined : form.resume;
          const emails = fields.filter(({ type }) => type === 'email').map(({ name }) => name);
          const to = written?.to ?? (emails.length === 1 ? emails[0] : undefined);
          const sendsMails =
            (written?.to ?? written?.through) !== undefined ||
            outputTypes.some((type) => ['smtp', 'email'].includes(type));
          if (sendsMails && to === undefined && emails.length > 1)
            place.error(
              `the form has several fields of type email; choose which one gets the link, such as resume: {to: ${emails[0]}}`,
            );
          const send =
            sendsMails && to !== undefined
              ? provided.get('visitor_mail')?.open('resume', to, place)
              : undefined;
          const kept = keptFields(fields.filter(({ isClosedToLinks }) => !isClosedToLinks));
          const keys: Readonly<Record<string, unknown>> = { ...top, ...form };
          const resume: Resume = {
            ...{ to, send, page: written?.page, expires: written?.expires ?? 7 * dayMs, fields: kept },
            zone: String(keys.time_zone ?? 'UTC'),
          };
          return {
            cards: [{ name: 'resume', says: 'gives visitors a link to continue later' }],
            reserves: [{ name: saved, key: [], what: 'the button that saves for later' }],
            beforeValidation: (next) => (submission) => {
              const asked = kit.values.first(submission.sent, saved);
              return asked === '' ? next(submission) : save(resume, submission, asked);
            },
            view: (view) => {
              const { request, sent, values, attributes } = view;
              const token = new URLSearchParams(request?.query).get(saved);
              if (!request || sent || token === null) return view;
              const draft = open(token, view);
              opened.set(request, draft);
              if (typeof draft === 'string') return view;
              return {
                ...view,
                values: new Map([...values, ...fitting(draft, kept)]),
                attributes: { ...attributes, 'data-resume-step': draft.step || undefined },
              };
            },
            markup: (view) => markup(resume, view),
          };
        },
      }),
    ],
  };
};

export default make;
