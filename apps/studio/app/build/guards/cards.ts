/** Cards for protection, confirmation and storage, with their cost, and actions to turn them on and off. */
import { type Action, isMap, type Json, listOf, mapOf, type Path, valueAt } from '../../../edit/model.ts';
import type { Field } from '../../schema_nodes.ts';
import { requiring } from '../fields/form_model.ts';

export interface Ground {
  readonly id: string;
  /** The whole config. */
  readonly config: Json | undefined;
  readonly fields: readonly Field[];
}

export interface Guard {
  readonly title: string;
  /** The cost to visitors and to the owner. */
  readonly cost: string;
  /** The form's key that turns the feature on. If `isForAll`, the key may also be at the top level. */
  readonly key: Path;
  readonly isForAll?: boolean;
  /** Keys of the same block that are useless without it. */
  readonly also?: readonly string[];
  /** Returns a reason if it cannot be turned on. */
  readonly lacks?: (ground: Ground) => string | undefined;
  /** The smallest useful value. */
  readonly value: (ground: Ground) => Json;
  /** Keys to set along with it unless they are present. */
  readonly others?: (ground: Ground) => readonly (readonly [path: Path, value: Json])[];
}

const addressField = ({ fields }: Ground) => fields.find(({ type }) => type === 'email')?.name;
const noAddress = (ground: Ground) =>
  addressField(ground) === undefined ? 'Add a field of type e-mail first.' : undefined;

/** A name that bots like to fill in and that no field of the form uses. */
const decoy = ({ fields }: Ground): string =>
  ['website', 'company_url', 'homepage', 'fax'].find((name) => !fields.some((one) => one.name === name)) ??
  'website_address';

/** A mail to the visitor. If no output sends mail, it needs a mail server of its own. */
function visitorMail(ground: Ground, subject: string, text: string): { readonly [key: string]: Json } {
  const sends = (output: Json) => /^(smtp|email)$/.test(String(mapOf(output).type));
  const hasServer = listOf(inForm(ground, ['outputs'])).some(sends);
  return {
    to: addressField(ground) ?? '',
    subject,
    text,
    ...(!hasServer && { through: { type: 'smtp', host: 'smtp.example.com', from: 'website@example.com' } }),
  };
}

const protect: readonly Guard[] = [
  {
    title: 'Honeypot',
    cost: 'Costs visitors nothing: they do not see it. Stops bots that fill in every field.',
    key: ['spam', 'honeypot'],
    isForAll: true,
    value: decoy,
  },
  {
    title: 'Minimum filling time',
    cost: 'Costs visitors nothing: a submission sent too soon is delivered with a mark. Stops bots that never load the form. A form in your own HTML needs the relay’s script or htmx, and the relay needs `FORM_TOKEN_SECRET`.',
    key: ['spam', 'min_fill_seconds'],
    isForAll: true,
    also: ['too_fast', 'form_ttl'],
    value: () => 3,
    // Without `too_fast: doubt`, a submission sent too soon is dropped.
    others: (ground) =>
      ['undefined', 'tag'].includes(String(inForm(ground, ['spam', 'doubt'])))
        ? [
            [['spam', 'too_fast'], 'doubt'],
            [['spam', 'doubt'], 'tag'],
          ]
        : [],
  },
  {
    title: 'Doubt',
    cost: 'Costs visitors nothing as long as it only marks. Advertisements are delivered with a mark such as [Spam?]; polite offers without a link may get through.',
    key: ['spam', 'doubt'],
    isForAll: true,
    also: ['signals', 'too_fast'],
    value: () => 'tag',
  },
  {
    title: 'Rate limit',
    cost: 'A client that sends too often has to wait, and a whole office or school may share one address. Stops floods from one address.',
    key: ['rate_limit'],
    isForAll: true,
    value: () => '5 per 10m',
  },
  {
    title: 'Proof of work',
    cost: 'Each browser solves a small puzzle while the form is filled in; phones take longer. Makes floods expensive, but does not stop a single advertisement written by hand. Needs `FORM_TOKEN_SECRET`.',
    key: ['spam', 'proof_of_work'],
    isForAll: true,
    value: () => true,
  },
  {
    title: 'Captcha',
    cost: 'Sends browser data of each visitor to the provider. Visitors without JavaScript cannot send the form, and some people cannot solve it. Stops most of the rest. The site key is a test key: replace it with yours.',
    key: ['captcha'],
    value: () => ({
      provider: 'turnstile',
      secret: '{{ env "TURNSTILE_SECRET" }}',
      site_key: '1x00000000000000000000AA',
    }),
  },
  {
    title: 'Only from your own sites',
    cost: 'Costs visitors of these sites nothing; on any other site, the form does not work. Stops copies of your form.',
    key: ['origins'],
    isForAll: true,
    value: () => ['https://www.example.com'],
  },
];

const confirm: readonly Guard[] = [
  {
    title: 'Double opt-in',
    cost: 'Costs each visitor a click on a link in a mail; nothing is delivered before that, and some never click. The values must fit into the link, about 1,200 bytes, so this suits short forms. Keeps out addresses that their owners did not enter. Needs `FORM_TOKEN_SECRET` and `PUBLIC_URL`.',
    key: ['double_opt_in'],
    lacks: noAddress,
    value: (ground) => ({
      ...visitorMail(
        ground,
        'Please confirm your address',
        'We received a form with this address. If you sent it, please confirm your address. If not, ignore this mail.',
      ),
      confirm: 'click',
    }),
  },
  {
    title: 'Mail to the visitor',
    cost: 'Costs visitors nothing. Anyone can type in any address, so the form needs a minimum filling time or a captcha, and each address receives at most one mail an hour.',
    key: ['confirmation_mail'],
    lacks: noAddress,
    value: (ground) =>
      visitorMail(
        ground,
        'Thank you for your message',
        'We have received your message, and will reply soon.',
      ),
  },
  {
    title: 'Receipt',
    cost: 'Costs visitors nothing but a long code below the confirmation. The code proves that the relay accepted exactly this text at this time, not who sent it. Needs `RECEIPT_SECRET`.',
    key: ['receipt'],
    value: () => true,
  },
];

const keepIt: readonly Guard[] = [
  {
    title: 'Keep deliveries that fail',
    cost: 'Costs visitors nothing: they see the usual thanks while an output is down. Until delivery succeeds, submissions and files are stored on your server, in one store for all forms: `keep` at the top of the file.',
    key: ['keep'],
    also: ['kept_message'],
    value: () => 'failed',
  },
];

export const guards: Readonly<
  Record<'Protect the form' | 'Confirm submissions' | 'Keep submissions', readonly Guard[]>
> = {
  'Protect the form': protect,
  'Confirm submissions': confirm,
  'Keep submissions': keepIt,
};

/** The form's keys that these cards manage. */
export const guardedKeys: readonly string[] = Object.values(guards)
  .flat()
  .flatMap(({ key, also = [] }) => (key.length === 1 ? [String(key[0]), ...also] : String(key[0])));

const inForm = ({ id, config }: Ground, path: Path): Json | undefined =>
  valueAt(config, ['forms', id, ...path]) ?? undefined;

export const isOn = ({ key }: Guard, ground: Ground): boolean =>
  !/^(undefined|false|off|\*)$/i.test(String(inForm(ground, key)));

export function turnOn({ key, value, others }: Guard, ground: Ground): readonly Action[] {
  const form: Path = ['forms', ground.id];
  const set = (path: Path, value: Json): Action => ({ do: 'set', path, value });
  const isMail = key[0] === 'double_opt_in';
  return [
    set([...form, ...key], value(ground)),
    ...(others?.(ground) ?? [])
      .filter(([path]) => inForm(ground, path) === undefined)
      .map(([path, other]) => set([...form, ...path], other)),
    ...(key[0] === 'keep' && valueAt(ground.config, ['keep']) === undefined
      ? [set(['keep'], { in: '/var/lib/form-relay' })]
      : []),
    ...(isMail ? requiring(form, addressField(ground), ground.config) : []),
  ];
}

/** Also removes the surrounding map, and the store of queued deliveries, if nothing else is in them. */
export function turnOff({ key, also = [] }: Guard, ground: Ground): readonly Action[] {
  const around = ['forms', ground.id, ...key.slice(0, -1)];
  const held = mapOf(valueAt(ground.config, around));
  const gone = [String(key.at(-1)), ...also].filter((name) => name in held);
  const isAll = key.length > 1 && gone.length === Object.keys(held).length;
  const others = Object.entries(mapOf(valueAt(ground.config, ['forms']))).filter(([id]) => id !== ground.id);
  const isLast = key[0] === 'keep' && !others.some(([, form]) => isMap(form) && 'keep' in form);
  const paths = [
    ...(isAll ? [around] : gone.map((name) => [...around, name])),
    ...(isLast ? [['keep']] : []),
  ];
  return paths.map((path): Action => ({ do: 'remove', path }));
}
