/** Files, commands and DNS records for a server, and a check of it from outside. */

import type { Deployment } from '@form-relay/starters/deploy';
import { Button, Options } from '@form-relay/ui/controls';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Connected, PublishState } from '../../src/state.ts';
import { Copyable } from '../arrived/bytes.tsx';
import { Line } from '../inputs.tsx';
import { Findings, inOneLine, Prose } from '../prose.tsx';
import { askJson } from '../relay.ts';
import { say, state } from '../store.ts';

const key = 'publish-values';
/** The name and address used last time, neither of which is secret. */
const before = (): Values => {
  try {
    return { ...empty, ...JSON.parse(localStorage.getItem(key) ?? '{}') };
  } catch {
    return empty;
  }
};

const empty = { target: 'vps', domain: '', email: '', place: '' };
type Values = typeof empty;

type Deployed = Deployment & { readonly trouble?: string };

const askFor = <T,>(name: string, values: object) =>
  askJson<T>(`/studio/publish/${name}`, JSON.stringify({ ...values, form: state.value?.form?.id }));

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
    if (!isComplete) return setMade(undefined);
    // Waits until the person stops typing.
    const timer = setTimeout(() => void askFor<Deployed>('deploy', values).then(setMade), 300);
    return () => clearTimeout(timer);
  }, [values, text]);
  const line = (name: keyof Values, label: string, placeholder: string) => (
    <Line
      {...{ label, placeholder }}
      value={values[name]}
      onType={(text) => change({ [name]: text.trim() })}
    />
  );
  const write = async () => {
    const done = await askFor<{ folder?: string; trouble?: string }>('files', values);
    const { folder, trouble = 'the studio does not respond' } = done ?? {};
    setWritten(folder ? `Written into ${folder}.` : `Not written: ${trouble}`);
  };
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
        {line('domain', 'Public name', 'forms.your-company.com')}
        {line('email', 'Your address, for certificates', 'you@your-company.com')}
        {target?.place !== undefined && line('place', target.place, '')}
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
            <Button onClick={write}>Write them beside the config</Button> <span role="status">{written}</span>
          </p>
          {made.files.map(({ path, text: content }) => (
            <details key={path} class="set-others">
              <summary>{path}</summary>
              <Copyable text={content} />
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
                    <Copyable key={index} text={code.trimEnd()} />
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

const silent: Connected = { findings: [], trouble: 'the studio does not respond' };

/** The studio requests the public address as a visitor would. */
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
        const seen = (await askFor<Connected>('check', { address })) ?? silent;
        setBusy(false);
        setFound(seen);
        say(inOneLine(seen));
      }}
    >
      <h3 id={`${id}-title`}>Check from outside</h3>
      <Line
        label="The public address"
        placeholder="https://forms.your-company.com"
        value={address}
        onType={(text) => setTyped(text.trim())}
      />
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
