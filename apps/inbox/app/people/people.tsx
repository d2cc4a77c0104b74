/** The page *People*: who may use the inbox, API keys, and the sessions of the current person. */
import { Button, Icon, Trouble } from '@form-relay/ui/controls';
import { useEffect } from 'preact/hooks';
import type { KeyView, PeopleView, PersonRight, PersonView, SessionView } from '../../src/api.ts';
import { about, titleOf } from '../about.ts';
import { showPage } from '../address.ts';
import { dialog } from '../controls.tsx';
import { counted, dateOf, exactTime, shortTime } from '../words.ts';
import { change, failure, Invite, NewKey, Remove, Revoke, readPeople, roles, view } from './dialogs.tsx';

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
          <Mine sessions={view.value.mine} Heading={mayManage ? 'h2' : 'h1'} />
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
          <Button class="main" disabled={!url} onClick={() => (dialog.value = <Invite />)}>
            <Icon name="plus" />
            Invite
          </Button>
        </div>
        {url && (
          <p class="says">
            Team members open <a href={url}>{url}</a>, and sign in with a link that they get by mail.
          </p>
        )}
        {why && <p class="notice warn">{`Invitations do not work: ${why}.`}</p>}
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
          <Button onClick={() => (dialog.value = <NewKey />)}>
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
              <KeyCard key={key.id} {...key} />
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

const mayWords = (may: readonly PersonRight[]) =>
  may.includes('manage')
    ? 'Manages'
    : (roles.find(
        ([role]) => role.length === may.length && role.every((right) => may.includes(right)),
      )?.[1] ?? may.join(', '));

const formWords = (forms: readonly string[] | undefined) =>
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
          {latest && ` · last active ${shortTime(latest.usedAt)}`}
        </span>
        {sessions.length > 0 && email && (
          <details>
            <summary>{counted(sessions.length, 'session')}</summary>
            <Sessions sessions={sessions} email={email} />
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
            onClick={() => (dialog.value = <Invite person={person} />)}
          >
            Change
          </Button>
          <Button
            aria-label={`Send a sign-in link to ${email}`}
            onClick={() => change('/api/people/invite', { email })}
          >
            Send a sign-in link
          </Button>
          <Button aria-label={`Remove ${email}`} onClick={() => (dialog.value = <Remove email={email} />)}>
            Remove
          </Button>
        </div>
      )}
    </li>
  );
}

function KeyCard({ id, name, forms, madeAt, madeBy, until, usedAt }: KeyView) {
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
          onClick={() => (dialog.value = <Revoke id={id} name={name} />)}
        >
          Revoke
        </Button>
      </div>
    </li>
  );
}

interface SessionsProps {
  readonly sessions: readonly SessionView[];
  /** The owner of the sessions; absent for the current person. */
  readonly email?: string;
}

const Sessions = ({ sessions, email }: SessionsProps) => (
  <ul class="sessions">
    {sessions.map(({ id, browser, begunAt, usedAt, isThis }) => (
      <li key={id}>
        <span>
          {browser}
          {isThis && <span class="tag">this session</span>}
          <span class="aside" title={`Since ${exactTime(begunAt)}`}>
            since {shortTime(begunAt)}, last used {shortTime(usedAt)}
          </span>
        </span>
        {!isThis && (
          <Button
            aria-label={`End the session in ${browser}`}
            onClick={() => change('/api/sessions/end', { email, id })}
          >
            End
          </Button>
        )}
      </li>
    ))}
  </ul>
);

/** The person's own sessions: below the page's heading, or as the only part of the page. */
const Mine = ({ sessions, Heading }: SessionsProps & { readonly Heading: 'h1' | 'h2' }) => (
  <section aria-labelledby="mine-title">
    <div class="people-head">
      <Heading id="mine-title">Your sessions</Heading>
      <Button
        onClick={async () => {
          await change('/api/sessions/end', {});
          location.assign('/');
        }}
      >
        Sign out everywhere
      </Button>
    </div>
    <Sessions sessions={sessions} />
  </section>
);
