/** The choices that protect, confirm and keep, each with its cost: data and pure functions over a config. */
import type { Action, Json } from '../../../edit/index.ts';
import { isMap, valueAt } from '../../schema_nodes.ts';
import { requiring } from '../fields/names.ts';
import { through } from '../outputs/through.ts';
import { captchaOf } from './captchas.ts';
import { formPath, type Ground, type Guard, guard, inForm, remove, set, without } from './guard.ts';

/** A key of `spam` that says it is on by being there. */
const spam = (key: string) => ({
  key: ['spam', key],
  isForAll: true,
  isOn: (ground: Ground) => ![undefined, false, 'off'].includes(inForm(ground, 'spam', key) as undefined),
  settings: (ground: Ground) => [{ path: [...formPath(ground), 'spam'], only: [key] }],
});

const tokenSecret = () => ['FORM_TOKEN_SECRET'];

/** As bots like to fill in, and no field of the form is called. */
const decoy = ({ fields }: Ground): string =>
  ['website', 'company_url', 'homepage', 'fax'].find(
    (name) => !fields.some((field) => field.name === name),
  ) ?? 'website_address';

/** `too_fast: doubt` needs a `doubt` that marks. */
function marking(ground: Ground): readonly Action[] {
  const doubt = inForm(ground, 'spam', 'doubt') ?? valueAt(['spam', 'doubt'], ground.config);
  if (doubt === 'tag' || (isMap(doubt) && 'tag' in doubt)) return [];
  if (isMap(doubt)) return [set(ground, ['spam', 'doubt'], { tag: 4, ...doubt })];
  const from: Readonly<Record<string, number>> = { aside: 8, challenge: 8, drop: 15 };
  const points = from[String(doubt)];
  return [set(ground, ['spam', 'doubt'], points === undefined ? 'tag' : { tag: 4, [String(doubt)]: points })];
}

const protect: readonly Guard[] = [
  guard({
    name: 'honeypot',
    title: 'Honeypot',
    cost: 'Costs visitors nothing: they do not see it. Stops bots that fill in every field.',
    page: 'docs/spam.md',
    ...spam('honeypot'),
    on: (ground) => [set(ground, ['spam', 'honeypot'], decoy(ground))],
    off: (ground) => without(ground, 'spam', ['honeypot']),
  }),
  guard({
    name: 'min_fill',
    title: 'Minimal filling time',
    cost: 'Costs visitors nothing: a submission that comes too soon arrives with a mark. Stops bots that never load the form. A form of your own needs the relay’s script or htmx for it.',
    page: 'docs/spam.md',
    ...spam('min_fill_seconds'),
    needs: tokenSecret,
    on: (ground) => [
      set(ground, ['spam', 'min_fill_seconds'], 3),
      set(ground, ['spam', 'too_fast'], 'doubt'),
      ...marking(ground),
    ],
    off: (ground) => without(ground, 'spam', ['min_fill_seconds', 'too_fast']),
    settings: (ground) => [
      { path: [...formPath(ground), 'spam'], only: ['min_fill_seconds', 'too_fast', 'form_ttl'] },
    ],
  }),
  guard({
    name: 'doubt',
    title: 'Doubt',
    cost: 'Costs visitors nothing as long as it only marks. Advertisements arrive with a mark such as [Spam?]; polite offers without a link can pass.',
    page: 'docs/doubt.md',
    ...spam('doubt'),
    needs: (ground) =>
      /challenge/.test(JSON.stringify(inForm(ground, 'spam', 'doubt') ?? '')) ? tokenSecret() : [],
    on: (ground) => [set(ground, ['spam', 'doubt'], 'tag')],
    off: (ground) => [
      ...without(ground, 'spam', [
        'doubt',
        'signals',
        'challenge',
        'tag_subject',
        // A config without a mark would not load.
        ...(inForm(ground, 'spam', 'too_fast') === 'doubt' ? ['min_fill_seconds', 'too_fast'] : []),
      ]),
    ],
    settings: (ground) => [
      ...(isMap(inForm(ground, 'spam', 'doubt')) ? [{ path: [...formPath(ground), 'spam', 'doubt'] }] : []),
      { path: [...formPath(ground), 'spam'], only: ['tag_subject', 'challenge', 'signals'] },
    ],
  }),
  guard({
    name: 'rate_limit',
    title: 'Rate limit',
    cost: 'A client that sends more often has to wait, and a whole office or school may be one client. Stops floods from one address.',
    page: 'docs/spam.md',
    key: ['rate_limit'],
    isForAll: true,
    isOn: (ground) => ![undefined, 'off'].includes(inForm(ground, 'rate_limit') as undefined),
    on: (ground) => [set(ground, ['rate_limit'], '5 per 10m')],
    settings: (ground) => [{ path: formPath(ground), only: ['rate_limit'] }],
  }),
  guard({
    name: 'proof_of_work',
    title: 'Proof of work',
    cost: 'Each browser computes for a moment while the form is filled in; phones take longer. Makes floods expensive, and does nothing against one advertisement written by hand.',
    page: 'docs/spam.md',
    ...spam('proof_of_work'),
    needs: tokenSecret,
    on: (ground) => [set(ground, ['spam', 'proof_of_work'], true)],
    off: (ground) =>
      without(ground, 'spam', [
        'proof_of_work',
        'proof_field',
        ...(/challenge/.test(
          JSON.stringify(inForm(ground, 'spam') ?? '').replace('"without_script":"challenge"', ''),
        )
          ? []
          : ['without_script']),
      ]),
    settings: (ground) => [
      { path: [...formPath(ground), 'spam'], only: ['proof_of_work', 'without_script', 'proof_field'] },
    ],
  }),
  guard({
    name: 'captcha',
    title: 'Captcha',
    cost: 'Sends browser data of each visitor to the provider. Visitors without JavaScript cannot send the form, and some people cannot solve it. Stops most of the rest.',
    page: 'docs/spam.md',
    key: ['captcha'],
    on: (ground) => [set(ground, ['captcha'], captchaOf('turnstile'))],
  }),
  guard({
    name: 'origins',
    title: 'Only your own sites',
    cost: 'Costs visitors of these sites nothing; on any other site, the form does not work. Stops copies of your form.',
    page: 'docs/spam.md',
    key: ['origins'],
    isForAll: true,
    isOn: (ground) => ![undefined, '*'].includes(inForm(ground, 'origins') as undefined),
    on: (ground) => [set(ground, ['origins'], ['https://www.example.com'])],
    off: (ground) => [
      ...remove(ground, 'origins'),
      ...(inForm(ground, 'origins_unknown') === undefined ? [] : remove(ground, 'origins_unknown')),
    ],
    settings: (ground) => [{ path: formPath(ground), only: ['origins', 'origins_unknown'] }],
  }),
];

const addressField = ({ fields }: Ground) => fields.find(({ type }) => type === 'email')?.name;
const noAddress = (ground: Ground) =>
  addressField(ground) === undefined ? 'Add a field of type e-mail first.' : undefined;

/** A mail to the visitor. Without an output that sends mail, it needs a server of its own. */
function visitorMail(ground: Ground, subject: string, text: string): { readonly [key: string]: Json } {
  const outputs = inForm(ground, 'outputs');
  const sends = (output: Json) => isMap(output) && (output.type === 'smtp' || output.type === 'email');
  const hasServer = Array.isArray(outputs) && (outputs as readonly Json[]).some(sends);
  return {
    to: addressField(ground) ?? '',
    subject,
    text,
    ...(!hasServer && {
      through: { type: 'smtp', host: 'smtp.example.com', from: 'website@example.com' },
    }),
  };
}

const confirm: readonly Guard[] = [
  guard({
    name: 'double_opt_in',
    title: 'Double opt-in',
    cost: 'Costs each visitor a click on a link in a mail; nothing is delivered before it, and some never click. All that they fill in has to fit into the link, about 1,200 bytes, so it suits short forms. Keeps out addresses whose owners did not ask.',
    page: 'docs/double_opt_in.md',
    key: ['double_opt_in'],
    needs: () => ['FORM_TOKEN_SECRET', 'PUBLIC_URL'],
    lacks: noAddress,
    on: (ground) => [
      set(ground, ['double_opt_in'], {
        ...visitorMail(
          ground,
          'Please confirm your address',
          'Somebody, hopefully you, sent us a form with this address. Was it you? Then please confirm it. Otherwise you need do nothing.',
        ),
        confirm: 'click',
      }),
      ...requiring(formPath(ground), addressField(ground), ground.config),
    ],
  }),
  guard({
    name: 'confirmation_mail',
    title: 'Mail to the visitor',
    cost: 'Costs visitors nothing. It goes to an address that anyone can type in, so the form needs a minimal filling time or a captcha, and an address receives at most one an hour.',
    page: 'docs/confirmation.md',
    key: ['confirmation_mail'],
    lacks: noAddress,
    on: (ground) => [
      set(
        ground,
        ['confirmation_mail'],
        visitorMail(
          ground,
          'Thank you for your message',
          'We have received your message, and will answer soon.',
        ),
      ),
    ],
  }),
  guard({
    name: 'receipt',
    title: 'Receipt',
    cost: 'Costs visitors nothing but a long code below the confirmation. It proves that the relay accepted exactly this text at this time, and not who sent it.',
    page: 'docs/receipts.md',
    key: ['receipt'],
    needs: () => ['RECEIPT_SECRET'],
    isOn: (ground) => String(inForm(ground, 'receipt')).toLowerCase() === 'true',
    on: (ground) => [set(ground, ['receipt'], true)],
    settings: () => [],
  }),
];

/** The places of the outputs that archive. */
const archives = (ground: Ground): readonly number[] => {
  const outputs = inForm(ground, 'outputs');
  return Array.isArray(outputs)
    ? outputs.flatMap((output: Json, index) =>
        isMap(output) && (output.type === 'folder' || output.type === 's3') ? [index] : [],
      )
    : [];
};

const keepIt: readonly Guard[] = [
  guard({
    name: 'keep',
    title: 'Keep deliveries that fail',
    cost: 'Costs visitors nothing: they read the usual thanks while an output is down. Submissions with their files lie on your server until they are delivered.',
    page: 'docs/keep.md',
    key: ['keep'],
    on: (ground) => [
      ...(valueAt(['keep'], ground.config) === undefined
        ? [{ do: 'set', path: ['keep'], value: { in: '/var/lib/form-relay' } } as const]
        : []),
      set(ground, ['keep'], 'failed'),
    ],
    off: (ground) => {
      const forms = valueAt(['forms'], ground.config);
      const others = isMap(forms)
        ? Object.entries(forms).filter(([id, form]) => id !== ground.id && isMap(form) && 'keep' in form)
        : [];
      return [
        ...remove(ground, 'keep'),
        ...(inForm(ground, 'kept_message') === undefined ? [] : remove(ground, 'kept_message')),
        ...(others.length === 0 && valueAt(['keep'], ground.config) !== undefined
          ? [{ do: 'remove', path: ['keep'] } as const]
          : []),
      ];
    },
    settings: (ground) => [{ path: formPath(ground), only: ['kept_message'] }, { path: ['keep'] }],
  }),
  guard({
    name: 'archive',
    title: 'Archive every submission',
    cost: 'Costs visitors nothing, but say so in your privacy notice: every submission lies in a folder of the server until you prune it. `relay archive` searches it.',
    page: 'docs/archive.md',
    key: ['outputs'],
    isOn: (ground) => archives(ground).length > 0,
    on: (ground) => {
      const outputs = inForm(ground, 'outputs');
      const index = Array.isArray(outputs) ? outputs.length : 0;
      const value = { type: 'folder', path: '/srv/forms' };
      return [{ do: 'insert', path: [...formPath(ground), 'outputs'], index, value }];
    },
    off: (ground) => {
      const gone = archives(ground);
      const left = (index: number) =>
        gone.includes(index) ? undefined : index - gone.filter((one) => one < index).length;
      return [
        ...gone
          .toReversed()
          .map((index) => ({ do: 'remove', path: [...formPath(ground), 'outputs', index] }) as const),
        ...through(inForm(ground), formPath(ground), left),
      ];
    },
    settings: (ground) =>
      archives(ground).map((index) => ({
        path: [...formPath(ground), 'outputs', index],
        only: ['path', 'bucket', 'prefix', 'seal_to'],
      })),
  }),
];

export const guards: Readonly<Record<'Protect it' | 'Confirm it' | 'Keep it', readonly Guard[]>> = {
  'Protect it': protect,
  'Confirm it': confirm,
  'Keep it': keepIt,
};
