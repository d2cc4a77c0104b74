/** Files, commands and DNS records for a server, and a look at it from outside. */

import type { Deployment } from '@form-relay/starters/deploy';
import { Options } from '@form-relay/ui/controls';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Connected, PublishState } from '../../src/state.ts';
import { Copyable } from '../arrived/bytes.tsx';
import { Findings, inOneLine, Prose } from '../prose.tsx';
import { ask } from '../relay.ts';
import { say, state } from '../store.ts';

const key = 'publish-values';
/** The name and the address of last time: nothing secret. */
const before = (): Values => {
  try {
    return { ...empty, ...JSON.parse(localStorage.getItem(key) ?? '{}') };
  } catch {
    return empty;
  }
};

interface Values {
  readonly target: string;
  readonly domain: string;
  readonly email: string;
  readonly place: string;
}
const empty: Values = { target: 'vps', domain: '', email: '', place: '' };

type Deployed = Deployment & { readonly trouble?: string };

async function askFor<T>(name: string, values: object): Promise<T | undefined> {
  const body = JSON.stringify({ ...values, form: state.value?.form?.id });
  const answer = await ask(`/studio/publish/${name}`, body);
  return answer?.ok ? JSON.parse(answer.text) : undefined;
}

export function OnServer({ now: { targets } }: { readonly now: PublishState }) {
  const id = useId();
  const [values, setValues] = useState(before);
  const [made, setMade] = useState<Deployed | undefined>();
  const [written, setWritten] = useState('');
  const target = targets.find(({ name }) => name === values.target) ?? targets[0];
  const isComplete = values.domain !== '' && values.email !== '' && (!target?.place || values.place !== '');
  const change = (more: Partial<Values>) => setValues({ ...values, ...more });
  const { text } = state.value?.file ?? {};
  useEffect(() => {
    localStorage.setItem(key, JSON.stringify(values));
    setWritten('');
    if (!isComplete) {
      setMade(undefined);
      return undefined;
    }
    // While somebody types, nobody reads.
    const timer = setTimeout(() => void askFor<Deployed>('deploy', values).then(setMade), 300);
    return () => clearTimeout(timer);
  }, [values, text]);
  const input = (name: 'domain' | 'email' | 'place', label: string, placeholder: string) => (
    <p>
      <label for={`${id}-${name}`}>{label}</label>
      <input
        id={`${id}-${name}`}
        class="set-input"
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholder}
        value={values[name]}
        onInput={({ currentTarget }) => change({ [name]: currentTarget.value.trim() })}
      />
    </p>
  );
  return (
    <div class="publish-part">
      <div class="connect-pair">
        <p>
          <label for={`${id}-target`}>Server</label>
          <select
            id={`${id}-target`}
            value={target?.name}
            onChange={({ currentTarget }) => change({ target: currentTarget.value, place: '' })}
          >
            <Options of={targets.map(({ name, title }) => [name, title])} />
          </select>
        </p>
        {input('domain', 'Public name', 'forms.your-company.com')}
        {input('email', 'Your address, for certificates', 'you@your-company.com')}
        {target?.place !== undefined && input('place', target.place, '')}
      </div>
      {made?.trouble !== undefined && <p class="notice warn">{made.trouble}</p>}
      {!isComplete && (
        <p class="set-help">
          Fill these in, and the files, the DNS record and each command appear here with your values.
        </p>
      )}
      {made && made.steps.length > 0 && (
        <>
          {made.notes.map((note) => (
            <p key={note} class="notice warn">
              {note}
            </p>
          ))}
          <h3>DNS</h3>
          <ul class="publish-lines">
            {made.records.map(({ name, type, value }) => (
              <li key={name}>
                <code>{name}.</code> <b>{type}</b> {value}
              </li>
            ))}
          </ul>
          <h3>Files</h3>
          <p class="set-help">
            The paths are those of a checkout of the relay.{' '}
            <button
              type="button"
              class="tool"
              onClick={async () => {
                const done = await askFor<{ folder?: string; trouble?: string }>('files', values);
                setWritten(
                  done?.folder
                    ? `Written into ${done.folder}.`
                    : `Not written: ${done?.trouble ?? 'the studio does not respond'}`,
                );
              }}
            >
              Write them beside the config
            </button>{' '}
            <span role="status">{written}</span>
          </p>
          {made.files.map(({ path, text: content }) => (
            <details key={path} class="set-others">
              <summary>{path}</summary>
              <Copyable length={content.length}>{content}</Copyable>
            </details>
          ))}
          <ol class="publish-steps">
            {made.steps.map(({ title, parts }) => (
              <li key={title}>
                <h3>{title}</h3>
                {parts.map(({ text: prose, code }, index) =>
                  code === undefined ? (
                    <p key={index}>
                      <Prose text={prose ?? ''} />
                    </p>
                  ) : (
                    <Copyable key={index} length={code.length}>
                      {code.trimEnd()}
                    </Copyable>
                  ),
                )}
              </li>
            ))}
          </ol>
          <p class="set-help">
            <code>{target?.page}</code> has more.
          </p>
        </>
      )}
      <Outside domain={values.domain} />
    </div>
  );
}

/** The studio asks the public address as a visitor would. */
function Outside({ domain }: { readonly domain: string }) {
  const id = useId();
  const [typed, setTyped] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const [found, setFound] = useState<Connected | undefined>();
  const address = typed ?? (domain && `https://${domain}`);
  return (
    <form
      class="connect"
      aria-labelledby={`${id}-title`}
      onSubmit={async (event) => {
        event.preventDefault();
        setBusy(true);
        const seen = (await askFor<Connected>('check', { address })) ?? {
          findings: [],
          trouble: 'the studio does not respond',
        };
        setBusy(false);
        setFound(seen);
        say(inOneLine(seen));
      }}
    >
      <h3 id={`${id}-title`}>Check from outside</h3>
      <p>
        <label for={`${id}-address`}>The public address</label>
        <input
          id={`${id}-address`}
          class="set-input"
          spellcheck={false}
          autocomplete="off"
          placeholder="https://forms.your-company.com"
          value={address}
          onInput={({ currentTarget }) => setTyped(currentTarget.value.trim())}
        />
      </p>
      <p class="connect-acts">
        <button type="submit" class="out-button b-primary" disabled={isBusy}>
          {isBusy ? 'Asking …' : 'Check'}
        </button>
      </p>
      <div role="status">{found && <Findings of={found} />}</div>
      <p class="set-help">
        Looks up the name, checks the certificate, and requests the form. Delivers nothing.
      </p>
    </form>
  );
}
