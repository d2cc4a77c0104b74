import { Button, Options } from '@form-relay/ui/controls';
import { type Signal, signal, useSignal } from '@preact/signals';
import type { ActionDone, KeyView, PeopleView, PersonRight, PersonView } from '../../src/api.ts';
import { about, perform } from '../about.ts';
import { ask, post, wordsOf } from '../ask.ts';
import { Confirm, close, Dialog, Form, FormButtons, typed } from '../controls.tsx';

export const view = signal<PeopleView | undefined>(undefined);
export const failure = signal<string | undefined>(undefined);

export async function readPeople(): Promise<void> {
  try {
    view.value = await ask<PeopleView>('/api/people');
    failure.value = undefined;
  } catch (error) {
    failure.value = wordsOf(error);
  }
}

export async function change(path: string, body: object): Promise<void> {
  await perform(() => post<ActionDone>(path, body));
  await readPeople();
}

export const roles: readonly (readonly [may: readonly PersonRight[], words: string])[] = [
  [['read'], 'Reads'],
  [['read', 'act'], 'Reads and acts'],
  [['read', 'act', 'erase'], 'Reads, acts and erases'],
  [['manage'], 'Manages people, and has all other rights'],
];

/** Chooses all forms, or some of them. */
function FormsChoice({ of }: { readonly of: Signal<readonly string[] | undefined> }) {
  const chosen = of.value;
  const toggle = (id: string) => {
    of.value = chosen?.includes(id) ? chosen.filter((one) => one !== id) : [...(chosen ?? []), id];
  };
  return (
    <fieldset class="options">
      <legend>Forms</legend>
      <label>
        <input type="radio" name="forms" checked={!chosen} onChange={() => (of.value = undefined)} />
        All forms, including future ones
      </label>
      <label>
        <input type="radio" name="forms" checked={chosen !== undefined} onChange={() => (of.value = [])} />
        Only these
      </label>
      {chosen && (
        <div class="some-forms">
          {about.value?.forms.map(({ id, title }) => (
            <label key={id}>
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
              <bdi>{title || id}</bdi>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

export function Invite({ person }: { readonly person?: PersonView }) {
  const email = useSignal(person?.email ?? '');
  const name = useSignal(person?.name ?? '');
  const before = roles.findIndex(([may]) => may.at(-1) === person?.may.at(-1));
  const role = useSignal(Math.max(before, 0));
  const chosen = useSignal(person?.forms);
  const [may = []] = roles[role.value] ?? [];
  const isManaging = may.includes('manage');
  const isUnready = !isManaging && chosen.value?.length === 0;
  const go = () => {
    if (isUnready) return undefined;
    close();
    const forms = isManaging ? undefined : chosen.value;
    return change('/api/people', { email: email.value, name: name.value, may, forms });
  };
  return (
    <Dialog title={person ? `Rights of ${person.name || person.email}` : 'Invite a person'}>
      <Form class="stack" onGo={go}>
        {!person && (
          <label class="field">
            Address
            <input {...typed(email)} type="email" required autofocus />
          </label>
        )}
        <label class="field">
          <span>
            Name <span class="aside">optional</span>
          </span>
          <input {...typed(name)} maxLength={100} autofocus={person !== undefined} />
        </label>
        <label class="field">
          Rights
          <select
            value={role.value}
            onChange={({ currentTarget }) => (role.value = Number(currentTarget.value))}
          >
            <Options of={roles.map(([, words], index) => [index, words] as const)} />
          </select>
        </label>
        <p class="aside">Act: deliver, restore, mark, label and reply. Erase: delete permanently.</p>
        {!isManaging && <FormsChoice of={chosen} />}
        <FormButtons words={person ? 'Save' : 'Send the invitation'} disabled={isUnready} />
      </Form>
    </Dialog>
  );
}

const terms: readonly (readonly [days: number, words: string])[] = [
  [30, 'In 30 days'],
  [90, 'In 90 days'],
  [365, 'After one year'],
  [0, 'Never'],
];

/** Creates an API key, and shows it once. */
export function NewKey() {
  const name = useSignal('');
  const days = useSignal(365);
  const forms = useSignal<readonly string[] | undefined>(undefined);
  const key = useSignal('');
  const wrong = useSignal('');
  const isCopied = useSignal(false);
  const isUnready = forms.value?.length === 0;
  const go = async () => {
    if (isUnready) return;
    try {
      const body = { name: name.value, forms: forms.value, ...(days.value > 0 && { days: days.value }) };
      key.value = (await post<{ readonly key: string }>('/api/keys', body)).key;
      void readPeople();
    } catch (error) {
      wrong.value = wordsOf(error);
    }
  };
  if (key.value)
    return (
      <Dialog title={`The key of ${name.value}`}>
        <p role="status">Copy it now: the inbox does not show it again.</p>
        <div class="person-line">
          <label class="field">
            Key
            <input
              readOnly
              class="secret"
              value={key.value}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
          </label>
          <Button
            autofocus
            class="main"
            onClick={async () => {
              await navigator.clipboard.writeText(key.value);
              isCopied.value = true;
            }}
          >
            {isCopied.value ? 'Copied' : 'Copy'}
          </Button>
        </div>
        <p class="aside">A program sends it in a header:</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard */}
        <pre class="sample" tabIndex={0}>
          {`curl -H "Authorization: Bearer $KEY" ${location.origin}/api/v1/submissions`}
        </pre>
        <div class="buttons">
          <Button onClick={close}>Done</Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="New key">
      <Form class="stack" onGo={go}>
        <label class="field">
          Purpose
          <input {...typed(name)} required autofocus maxLength={100} placeholder="CRM" />
        </label>
        <label class="field">
          Expires
          <select
            value={days.value}
            onChange={({ currentTarget }) => (days.value = Number(currentTarget.value))}
          >
            <Options of={terms} />
          </select>
        </label>
        <FormsChoice of={forms} />
        {wrong.value && (
          <p class="notice bad" role="alert">
            {wrong.value}
          </p>
        )}
        <FormButtons words="Create the key" disabled={isUnready} />
      </Form>
    </Dialog>
  );
}

export function Remove({ email }: { readonly email: string }) {
  const keys = (view.value?.keys ?? []).filter(({ madeBy }) => madeBy === email);
  return (
    <Dialog title={`Remove ${email}?`}>
      <p>
        Access ends at once: open windows close, and sign-in links stop working.
        {keys.length > 0 &&
          ` Keys that they created are revoked: ${new Intl.ListFormat('en').format(keys.map(({ name }) => name))}.`}
      </p>
      <Confirm words="Remove" isBad onGo={() => change('/api/people/remove', { email })} />
    </Dialog>
  );
}

export const Revoke = ({ id, name }: Pick<KeyView, 'id' | 'name'>) => (
  <Dialog title={`Revoke the key ${name}?`}>
    <p>Programs that use it lose access at once. This cannot be undone.</p>
    <Confirm words="Revoke" isBad onGo={() => change('/api/keys/revoke', { id })} />
  </Dialog>
);
