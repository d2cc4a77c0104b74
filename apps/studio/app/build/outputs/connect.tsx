/** "Connect mail": a mail output's provider, address and password. Secrets are written only to `.env`. */

import { Options } from '@form-relay/ui/controls';
import { useId, useState } from 'preact/hooks';
import type { Path } from '../../../edit/model.ts';
import type { Connected, Guessed, OutputState } from '../../../src/state.ts';
import { Line } from '../../inputs.tsx';
import { Findings, inOneLine, Linked } from '../../prose.tsx';
import { ask, askJson } from '../../relay.ts';
import { refresh, sendDraft } from '../../shell/drafts.ts';
import { say, settle, state } from '../../store.ts';
import { change, useDraft } from '../settings/draft.ts';
import { problemsWithin } from '../settings/places.ts';
import { Settings } from '../settings/settings.tsx';
import { gallery } from './gallery.tsx';
import {
  addressIn,
  addressing,
  choosing,
  envOf,
  isExample,
  labelOf,
  loginKeys,
  secretsOf,
  tenantOf,
  tokenUrl,
} from './mail_account.ts';
import { type Output, type Recipe, titleOf } from './recipes.ts';
import './connect.css';

interface ConnectProps {
  readonly path: Path;
  readonly output: Output;
  readonly recipe: Recipe | undefined;
  readonly status: OutputState | undefined;
}

export function ConnectMail({ path, output, recipe, status }: ConnectProps) {
  const id = useId();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [result, setResult] = useState<Connected | undefined>();
  const [isBusy, setBusy] = useState<'check' | 'test' | undefined>();
  const [suggested, setSuggested] = useState<Guessed>({});
  const providers = (gallery.value ?? []).filter(({ name }) => name.startsWith('mail/'));
  const called = (account: string | undefined) => providers.find(({ name }) => name === `mail/${account}`);
  const provider =
    recipe && providers.includes(recipe) ? recipe : output.type === 'email' ? called('ses') : undefined;
  const address = addressIn(output.from);
  const secrets = secretsOf(path, output, provider);
  const isSet = (name: string) => status?.variables[name] === true;
  const tenant = tenantOf(output);

  const choose = (chosen: Recipe | undefined, from: string, guessed: Guessed) =>
    change(choosing(path, output, chosen, from, guessed), `Chose ${chosen ? titleOf(chosen) : guessed.host}`);
  /** Detects the provider of an address. With `isOther`, the owner has rejected the known providers. */
  const follow = async (written: string, isOther = false) => {
    const body = JSON.stringify({ address: written });
    const guessed = (await askJson<Guessed>('/studio/connect/guess', body)) ?? {};
    const { host, account } = guessed;
    const named = called(account);
    if (isOther) {
      if (host !== undefined && account === undefined)
        change({ do: 'set', path: [...path, 'host'], value: host }, `Found ${host}`);
    } else if (isExample(output.host) && output.type === 'smtp' && (named || host))
      choose(named, written, guessed);
    else setSuggested(named === provider ? {} : guessed);
  };
  const draft = useDraft(isExample(address) ? '' : address, (written) => {
    if (written === '' || written === address) return;
    change(addressing(path, output, written), `Mail is sent from ${written}`);
    if (/@[^@\s]+\.[^@\s]+$/.test(written)) void follow(written);
  });

  const go = async (act: 'check' | 'test', anyway = false) => {
    settle();
    const values = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ''));
    const moved = secrets.find(({ name, isNew }) => isNew && values[name] !== undefined);
    if (moved)
      change(
        { do: 'set', path: [...path, 'password'], value: envOf(moved.name) },
        'The config names the password',
      );
    setBusy(act);
    setResult(undefined);
    const asked = { form: path[1], output: path[3], values, anyway };
    const hasTyped = Object.keys(values).length > 0;
    let found = (await sendDraft()) ? await askFor(hasTyped ? 'check' : act, asked) : unsent;
    if (found.saved) {
      setTyped({});
      await refresh();
      const then = act === 'test' ? await askFor('test', { ...asked, values: {} }) : found;
      found = { ...then, findings: [savedAs(found.saved), ...then.findings] };
    }
    setBusy(undefined);
    setResult(found);
    say(inOneLine(found));
  };

  const to = typeof output.to === 'string' ? output.to : '';
  const target = output.type === 'email' ? 'Amazon SES' : `${output.host}:${output.port ?? 587}`;
  const named = called(suggested.account);
  const isOpen =
    !provider || problemsWithin(path).some(({ path: at }) => loginKeys.some((key) => at.endsWith(`.${key}`)));
  return (
    <form
      class="connect"
      aria-labelledby={`${id}-title`}
      data-own
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        void go('check');
      }}
    >
      <h3 id={`${id}-title`}>Connect your mail</h3>
      <div class="connect-pair">
        <Line
          label="Your address"
          type="email"
          placeholder="you@your-company.com"
          value={draft.text}
          onType={(text) => draft.type(text.trim())}
          onBlur={draft.leave}
        />
        <p>
          <label for={`${id}-provider`}>Provider</label>
          <select
            id={`${id}-provider`}
            value={provider?.name ?? ''}
            onChange={({ currentTarget: { value } }) => {
              setSuggested({});
              const chosen = providers.find(({ name }) => name === value);
              change(
                choosing(path, chosen ? output : { ...output, host: '' }, chosen, address),
                `Chose ${chosen ? titleOf(chosen) : 'another server'}`,
              );
              if (!chosen && !isExample(address)) void follow(address, true);
            }}
          >
            <Options of={providers.map((one) => [one.name, titleOf(one).replace(/ by SMTP$/, '')])} />
            <option value="">Another server</option>
          </select>
        </p>
      </div>
      {(named ?? suggested.host) && (
        <p class="set-help">
          The mail provider for this address is {named ? titleOf(named) : suggested.host}.{' '}
          <button
            type="button"
            class="set-more"
            onClick={() => {
              setSuggested({});
              choose(named, address, suggested);
            }}
          >
            Use it
          </button>
        </p>
      )}
      {tenant !== undefined && (
        <Line
          label="The directory (tenant) id of your organization"
          value={tenant === 'TENANT_ID' ? '' : tenant}
          onChange={({ currentTarget: { value } }) =>
            change(
              { do: 'set', path: [...path, 'oauth2', 'token_url'], value: tokenUrl(value.trim()) },
              'The config names your organization',
            )
          }
        />
      )}
      {secrets.map(({ name, is, from, isOpenly }) => (
        <Line
          key={name}
          label={labelOf(name, is)}
          type={isOpenly ? 'text' : 'password'}
          placeholder={isSet(name) ? 'Set. Type a new one to replace it' : ''}
          value={typed[name] ?? ''}
          onType={(value) => setTyped({ ...typed, [name]: value })}
        >
          {from && <Linked text={`Find it here: ${from}. `} />}
          <code>{name}</code> {isSet(name) ? 'is set.' : 'is not set yet.'}
        </Line>
      ))}
      <p class="connect-acts">
        <button type="submit" class="out-button b-primary" disabled={isBusy !== undefined}>
          {isBusy === 'check' ? 'Signing in …' : 'Check'}
        </button>
        <button
          type="button"
          class="out-button"
          disabled={isBusy !== undefined}
          onClick={() => void go('test')}
        >
          {isBusy === 'test' ? 'Sending …' : 'Send me a test'}
        </button>
        {result?.canSave && (
          <button type="button" class="out-button" onClick={() => void go('check', true)}>
            Save the password anyway
          </button>
        )}
      </p>
      <div role="status">{result && <Findings of={result} />}</div>
      <p class="set-help">
        <b>Check</b> signs in at {target} and sends no mail. <b>Send me a test</b> sends a real mail for this
        form, with made-up values and marked as a test{to && `, to ${to}`}. Secrets go into <code>.env</code>{' '}
        beside {state.value?.file.name}, readable only by you.
      </p>
      <details class="set-others" open={isOpen}>
        <summary>Server and login</summary>
        <Settings
          path={path}
          only={loginKeys}
          first={loginKeys.filter((key) => key in output)}
          labels={loginLabels}
        />
      </details>
    </form>
  );
}

const loginLabels = {
  host: 'Your mail server',
  from: 'Sent from',
  password: 'Password variable in the config',
};

const unsent: Connected = {
  findings: [],
  trouble: 'the studio has not loaded this config yet: see the message at the top',
};

async function askFor(act: string, asked: object): Promise<Connected> {
  const answer = await ask(`/studio/connect/${act}`, JSON.stringify(asked));
  if (answer?.ok) return JSON.parse(answer.text);
  return { findings: [], trouble: answer?.text ?? 'the studio does not respond' };
}

const savedAs = (names: readonly string[]): Connected['findings'][number] => ({
  level: 'ok',
  subject: '.env',
  says: `${names.join(', ')} saved, readable only by you`,
});
