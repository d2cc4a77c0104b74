import { Button, Options } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import type { KeyView, PersonView } from '../../src/api.ts';
import { about } from '../about.ts';
import { post, wordsOf } from '../ask.ts';
import { Confirm, close, Dialog, dialog } from '../dialogs/dialog.tsx';
import { change, People, readPeople, roles } from './people.tsx';

interface FormsProps {
  readonly chosen: ReadonlySet<string> | undefined;
  readonly choose: (forms: ReadonlySet<string> | undefined) => void;
}

/** All forms, or some. */
function FormsChoice({ chosen, choose }: FormsProps) {
  const forms = about.value?.forms ?? [];
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return (
    <fieldset class="options">
      <legend>Forms</legend>
      <label>
        <input type="radio" name="forms" checked={!chosen} onChange={() => choose(undefined)} />
        All forms, including future ones
      </label>
      <label>
        <input type="radio" name="forms" checked={chosen !== undefined} onChange={() => choose(new Set())} />
        Only these
      </label>
      {chosen && (
        <div class="some-forms">
          {forms.map(({ id, title }) => (
            <label key={id}>
              <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
              <bdi>{title || id}</bdi>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

const listOf = (chosen: ReadonlySet<string> | undefined) => chosen && [...chosen];

/** Invites somebody, or changes what they may do. */
function Invite({ person }: { readonly person: PersonView | undefined }) {
  const email = useSignal(person?.email ?? '');
  const name = useSignal(person?.name ?? '');
  const before = roles.findIndex(([may]) => may.at(-1) === person?.may.at(-1));
  const role = useSignal(Math.max(before, 0));
  const chosen = useSignal<ReadonlySet<string> | undefined>(person?.forms && new Set(person.forms));
  const isManaging = roles[role.value]?.[0].includes('manage') ?? false;
  const isUnready = !isManaging && chosen.value?.size === 0;
  const go = () => {
    close();
    const forms = isManaging ? undefined : listOf(chosen.value);
    void change('/api/people', { email: email.value, name: name.value, may: roles[role.value]?.[0], forms });
  };
  return (
    <Dialog title={person ? `Rights of ${person.name || person.email}` : 'Invite somebody'}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnready) go();
        }}
      >
        {!person && (
          <label class="field">
            Address
            <input
              type="email"
              required
              autofocus
              autocomplete="off"
              value={email.value}
              onInput={({ currentTarget }) => (email.value = currentTarget.value)}
            />
          </label>
        )}
        <label class="field">
          <span>
            Name <span class="aside">optional</span>
          </span>
          <input
            maxLength={100}
            autofocus={person !== undefined}
            autocomplete="off"
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
        </label>
        <label class="field">
          May
          <select
            value={role.value}
            onChange={({ currentTarget }) => (role.value = Number(currentTarget.value))}
          >
            <Options of={roles.map(([, words], index) => [index, words] as const)} />
          </select>
        </label>
        <p class="aside">Act: deliver, restore, mark, label and reply. Erase: delete permanently.</p>
        {!isManaging && <FormsChoice chosen={chosen.value} choose={(forms) => (chosen.value = forms)} />}
        <div class="buttons">
          <Button onClick={close}>Cancel</Button>
          <button type="submit" class="main" disabled={isUnready}>
            {person ? 'Save' : 'Send the invitation'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const terms: readonly (readonly [days: number, words: string])[] = [
  [30, 'In 30 days'],
  [90, 'In 90 days'],
  [365, 'After one year'],
  [0, 'Never'],
];

/** Makes a key, and shows it once. */
function NewKey() {
  const name = useSignal('');
  const days = useSignal(365);
  const chosen = useSignal<ReadonlySet<string> | undefined>(undefined);
  const key = useSignal('');
  const wrong = useSignal('');
  const isCopied = useSignal(false);
  const go = async () => {
    try {
      const body = {
        name: name.value,
        forms: listOf(chosen.value),
        ...(days.value > 0 && { days: days.value }),
      };
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
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen.value?.size !== 0) void go();
        }}
      >
        <label class="field">
          Purpose
          <input
            required
            autofocus
            maxLength={100}
            placeholder="CRM"
            autocomplete="off"
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
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
        <FormsChoice chosen={chosen.value} choose={(forms) => (chosen.value = forms)} />
        {wrong.value && (
          <p class="notice bad" role="alert">
            {wrong.value}
          </p>
        )}
        <div class="buttons">
          <Button onClick={close}>Cancel</Button>
          <button type="submit" class="main" disabled={chosen.value?.size === 0}>
            Create the key
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const Remove = ({ email, keys }: { readonly email: string; readonly keys: readonly KeyView[] }) => (
  <Dialog title={`Remove ${email}?`}>
    <p>
      Access ends at once: open windows close, and sign-in links stop working.
      {keys.length > 0 &&
        ` Keys that they created are revoked: ${new Intl.ListFormat('en').format(keys.map(({ name }) => name))}.`}
    </p>
    <Confirm words="Remove" isBad onGo={() => change('/api/people/remove', { email })} />
  </Dialog>
);

const Revoke = ({ id, name }: { readonly id: string; readonly name: string }) => (
  <Dialog title={`Revoke the key ${name}?`}>
    <p>Programs that use it lose access at once. This cannot be undone.</p>
    <Confirm words="Revoke" isBad onGo={() => change('/api/keys/revoke', { id })} />
  </Dialog>
);

/** The page of people with its dialogs. */
export const PeoplePage = () => (
  <>
    <People />
    <Shown />
  </>
);

function Shown() {
  const shown = dialog.value;
  switch (shown?.kind) {
    case 'invite':
      return <Invite person={shown.person} />;
    case 'key':
      return <NewKey />;
    case 'remove':
      return <Remove email={shown.email} keys={shown.keys} />;
    case 'revoke':
      return <Revoke id={shown.id} name={shown.name} />;
    default:
      return null;
  }
}
