/** The addresses of a config's owner: a mail that comes back from one of them means that submissions go nowhere. */
import { addressOf, bareAddress, mailboxParts, parseMailbox } from '../../base/address.ts';
import type { Effects } from '../../base/effects.ts';
import type { Form, Whole } from '../../form.ts';
import type { Output } from '../../outputs/output.ts';
import type { Scope } from '../../schema/template/render.ts';
import { scopeOf } from '../../schema/template/scope.ts';
import { takesMails } from '../../transports/index.ts';
import { everyOutput } from '../visitor_mails/form_mails.ts';

export interface Owners {
  /** The forms that mail there, or from there, by address in lower case. Alerts count as a form. */
  readonly formsOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** The recipients of an output. */
  recipientsOf(formId: string, output: number): readonly string[];
}

const known = new WeakMap<object, Owners>();

/** Found once for each config. */
export function ownersOf(
  whole: Pick<Whole, 'forms' | 'alerts'>,
  mailFromAddress: string | undefined,
  { env, now }: Pick<Effects, 'env' | 'now'>,
): Owners {
  const found = known.get(whole.forms);
  if (found) return found;
  const formsOf = new Map<string, Set<string>>();
  const recipients = new Map<string, readonly string[]>();
  const note = (form: string, addresses: readonly string[]) => {
    for (const one of addresses) formsOf.set(one, (formsOf.get(one) ?? new Set()).add(form));
  };
  const forms: readonly Form[] = [...whole.forms.values(), ...(whole.alerts ? [whole.alerts.form] : [])];
  for (const form of forms) {
    const scope = scopeOf(form.id, { values: new Map(), receivedAt: now() }, { env });
    for (const { output, path } of everyOutput(form)) {
      const to = addressesOf(output, scope);
      const place = `${form.id} ${path[1]}`;
      // A form may be called like the one of alerts.
      if (path[0] === 'outputs') recipients.set(place, [...(recipients.get(place) ?? []), ...to]);
      note(form.id, [...to, ...sendersOf(output)]);
    }
  }
  if (mailFromAddress !== undefined) note('', [bareAddress(mailFromAddress).toLowerCase()]);
  const owners: Owners = {
    formsOf,
    recipientsOf: (formId, output) => recipients.get(`${formId} ${output}`) ?? [],
  };
  known.set(whole.forms, owners);
  return owners;
}

/** The recipients that the owner wrote, here or in the environment. */
function addressesOf({ target }: Output, scope: Scope): readonly string[] {
  if (!target || !takesMails(target)) return [];
  const { to, cc = [], bcc = [] } = target;
  return [...to, ...cc, ...bcc]
    .filter(({ isSubmitted }) => !isSubmitted)
    .flatMap((template) => mailboxParts(template.render(scope)))
    .flatMap((part) => {
      const mailbox = parseMailbox(part);
      return mailbox === undefined ? [] : addressOf(mailbox).toLowerCase();
    });
}

const sendersOf = ({ target }: Output): readonly string[] =>
  target &&
  takesMails(target) &&
  target.from !== undefined &&
  !('isDefaultSender' in target && target.isDefaultSender)
    ? [addressOf(target.from).toLowerCase()]
    : [];
