/** The page *People*: who may use the inbox, the keys of programs, and the sessions of the person who looks. */
import { Button, Icon, Trouble } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ActionDone, KeyView, PeopleView, PersonRight, PersonView, SessionView } from '../../src/api.ts';
import { about, tell, titleOf } from '../about.ts';
import { showPage } from '../address.ts';
import { ask, post, wordsOf } from '../ask.ts';
import { dialog } from '../dialogs/dialog.tsx';
import { counted, dateOf, exactTime, shortTime } from '../words.ts';

const view = signal<PeopleView | undefined>(undefined);
const failure = signal<string | undefined>(undefined);

export async function readPeople(): Promise<void> {
  try {
    view.value = await ask<PeopleView>('/api/people');
    failure.value = undefined;
  } catch (error) {
    failure.value = wordsOf(error);
  }
}

/** Does it, says how it went, and reads the page again. */
export async function change(path: string, body: object): Promise<void> {
  try {
    const { isDone, words } = await post<ActionDone>(path, body);
    tell(words, !isDone);
  } catch (error) {
    tell(wordsOf(error), true);
  }
  await readPeople();
}

export function People() {
  const mayManage = about.value?.person.mayManage ?? false;
  useEffect(() => void readPeople(), [about.value?.person.name]);
  return (
    <main class="people">
      <div class="people-page">
        <Button onClick={() => showPage(undefined)}>
          <Icon name="back" />
          Submissions
        </Button>
        {failure.value && <Trouble words={failure.value} onGo={() => void readPeople()} />}
        {view.value && mayManage && <Managed view={view.value} />}
        {view.value && (about.value?.person.canSignOut ?? false) && (
          <Mine sessions={view.value.mine} isAlone={!mayManage} />
        )}
      </div>
    </main>
  );
}

function Managed({ view: { people, keys, url, why } }: { readonly view: PeopleView }) {
  return (
    <>
      <section aria-labelledby="people-title">
        <div class="people-head">
          <h1 id="people-title">People</h1>
          <Button class="main" disabled={!url} onClick={() => (dialog.value = { kind: 'invite' })}>
            <Icon name="plus" />
            Invite
          </Button>
        </div>
        {url && (
          <p class="says">
            They open <a href={url}>{url}</a>, and sign in with a link that they get by mail.
          </p>
        )}
        {why && <p class="notice warn">{sentenceOf(why)}</p>}
        {people.length === 0 ? (
          <p class="empty">
            <b>No team members yet.</b> Invite someone, and choose what they may see and do.
          </p>
        ) : (
          <ul class="cards">
            {people.map((person) => (
              <PersonCard key={person.email ?? person.group} person={person} />
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="keys-title">
        <div class="people-head">
          <h2 id="keys-title">Keys for programs</h2>
          <Button onClick={() => (dialog.value = { kind: 'key' })}>
            <Icon name="plus" />
            New key
          </Button>
        </div>
        <p class="says">
          With a key, a program such as a CRM, a script or a spreadsheet can list, search and download
          submissions. Keys are read-only. <a href="/api/v1/openapi.json">API description</a>
        </p>
        {keys.length > 0 && (
          <ul class="cards">
            {keys.map((key) => (
              <KeyCard key={key.id} apiKey={key} />
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

const sentenceOf = (words: string) => `Invitations do not work: ${words}.`;

export const roles: readonly (readonly [may: readonly PersonRight[], words: string])[] = [
  [['read'], 'Reads'],
  [['read', 'act'], 'Reads and acts'],
  [['read', 'act', 'erase'], 'Reads, acts and erases'],
  [['manage'], 'Manages people, and has all other rights'],
];

const mayWords = (may: readonly PersonRight[]) =>
  may.includes('manage')
    ? 'Manages'
    : (roles.find(
        ([role]) => role.length === may.length && role.every((right) => may.includes(right)),
      )?.[1] ?? may.join(', '));

export const formWords = (forms: readonly string[] | undefined) =>
  forms ? new Intl.ListFormat('en').format(forms.map(titleOf)) : 'all forms';

function PersonCard({ person }: { readonly person: PersonView }) {
  const { email, group, name, may, forms, isFromConfig, at, by, sessions } = person;
  const [latest] = sessions;
  const known = isFromConfig
    ? 'Set in the config; change it there'
    : `Invited ${at ? dateOf(at) : ''}${by && by !== 'you' ? ` by ${by}` : ''}`;
  const isManaging = may.includes('manage');
  return (
    <li class="card">
      <div class="who">
        <b>
          <bdi>{name || email || group}</bdi>
        </b>
        {group && <span class="tag">group</span>}
        {name && <bdi class="aside">{email}</bdi>}
        <span class="says">
          {mayWords(may)} · {isManaging ? 'all forms' : formWords(forms)}
        </span>
        <span class="aside">
          {known}
          {latest && ` · last here ${shortTime(latest.usedAt)}`}
        </span>
        {sessions.length > 0 && email && (
          <details>
            <summary>{counted(sessions.length, 'session')}</summary>
            <Sessions sessions={sessions} end={(id) => change('/api/sessions/end', { email, id })} />
            {sessions.length > 1 && (
              <Button onClick={() => change('/api/sessions/end', { email })}>Sign out everywhere</Button>
            )}
          </details>
        )}
      </div>
      {!isFromConfig && email && (
        <div class="does">
          <Button
            aria-label={`Change what ${email} may do`}
            onClick={() => (dialog.value = { kind: 'invite', person })}
          >
            Change
          </Button>
          <Button
            aria-label={`Send a sign-in link to ${email}`}
            onClick={() => change('/api/people/invite', { email })}
          >
            Send a sign-in link
          </Button>
          <Button
            aria-label={`Remove ${email}`}
            onClick={() =>
              (dialog.value = {
                kind: 'remove',
                email,
                keys: (view.peek()?.keys ?? []).filter(({ madeBy }) => madeBy === email),
              })
            }
          >
            Remove
          </Button>
        </div>
      )}
    </li>
  );
}

function KeyCard({
  apiKey: { id, name, forms, madeAt, madeBy, until, usedAt },
}: {
  readonly apiKey: KeyView;
}) {
  const isOver = until !== undefined && until < Date.now();
  return (
    <li class="card">
      <div class="who">
        <b>
          <bdi>{name}</bdi>
        </b>
        {isOver && <span class="tag">expired</span>}
        <span class="says">Reads · {formWords(forms)}</span>
        <span class="aside">
          Made {dateOf(madeAt)}
          {madeBy !== 'you' && ` by ${madeBy}`} ·{' '}
          {until === undefined ? 'does not expire' : `${isOver ? 'expired' : 'until'} ${dateOf(until)}`} ·{' '}
          {usedAt === undefined ? 'never used' : `last used ${shortTime(usedAt)}`}
        </span>
      </div>
      <div class="does">
        <Button
          aria-label={`Revoke the key ${name}`}
          onClick={() => (dialog.value = { kind: 'revoke', id, name })}
        >
          Revoke
        </Button>
      </div>
    </li>
  );
}

interface SessionsProps {
  readonly sessions: readonly SessionView[];
  readonly end: (id: string) => unknown;
}

const Sessions = ({ sessions, end }: SessionsProps) => (
  <ul class="sessions">
    {sessions.map(({ id, browser, begunAt, usedAt, isThis }) => (
      <li key={id}>
        <span>
          {browser}
          {isThis && <span class="tag">this one</span>}
          <span class="aside" title={`Since ${exactTime(begunAt)}`}>
            since {shortTime(begunAt)}, last used {shortTime(usedAt)}
          </span>
        </span>
        {!isThis && (
          <Button aria-label={`End the session in ${browser}`} onClick={() => end(id)}>
            End
          </Button>
        )}
      </li>
    ))}
  </ul>
);

interface MineProps {
  readonly sessions: readonly SessionView[];
  /** Nothing else is on the page. */
  readonly isAlone: boolean;
}

const Mine = ({ sessions, isAlone }: MineProps) => (
  <section aria-labelledby="mine-title">
    <div class="people-head">
      {isAlone ? <h1 id="mine-title">Your sessions</h1> : <h2 id="mine-title">Your sessions</h2>}
      <Button
        onClick={async () => {
          await change('/api/sessions/end', {});
          location.assign('/');
        }}
      >
        Sign out everywhere
      </Button>
    </div>
    <Sessions sessions={sessions} end={(id) => change('/api/sessions/end', { id })} />
  </section>
);
