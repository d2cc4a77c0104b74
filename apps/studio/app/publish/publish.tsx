/** "Publish": runs the form on this machine or on a server. */

import { Button, Dialog } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogLine, PublishState } from '../../src/state.ts';
import { Tabs } from '../inputs.tsx';
import { askJson } from '../relay.ts';
import { save } from '../shell/drafts.ts';
import { say, state } from '../store.ts';
import { OnServer } from './server.tsx';
import './publish.css';

/** The server's last status; `undefined` until the dialog is opened. */
export const published = signal<PublishState | undefined>();

const take = (now: PublishState | undefined) => {
  published.value = now ?? published.value;
};

export function PublishDialog({ onClose }: { readonly onClose: () => void }) {
  useEffect(() => {
    void askJson<PublishState>('/studio/publish').then(take);
  }, []);
  const { form } = state.value ?? {};
  const now = published.value;
  if (!form || !now) return null;
  return (
    <Dialog class="publish" title={`Publish “${form.title}”`} onClose={onClose}>
      <Tabs
        legend="Where"
        views={[
          { title: 'On this machine', show: () => <OnThisMachine now={now} /> },
          { title: 'On a server', show: () => <OnServer now={now} /> },
        ]}
      />
    </Dialog>
  );
}

async function act(name: 'start' | 'stop', shared = false): Promise<void> {
  const now = await askJson<PublishState>(`/studio/publish/${name}`, JSON.stringify({ shared }));
  take(now);
  if (now) say(name === 'start' ? 'The relay is starting.' : 'The relay is stopping.');
}

function OnThisMachine({ now }: { readonly now: PublishState }) {
  const { isRunning, isShared, addresses, lines } = now;
  const form = state.value?.form?.id ?? '';
  const arrived = lines.filter(({ event }) => event === 'submission').toReversed();
  return (
    <div class="publish-part">
      <p>
        The relay serves <code>{state.value?.file.name}</code> as saved, and really delivers submissions. The
        relay stops with the studio.
      </p>
      {state.value?.file.isDraft && (
        <p class="notice warn">
          Unsaved changes are not served. <Button onClick={() => void save()}>Save to file</Button>
        </p>
      )}
      <p class="connect-acts">
        {isRunning ? (
          <Button class="out-button" onClick={() => void act('stop')}>
            Stop
          </Button>
        ) : (
          <>
            <Button class="out-button b-primary" onClick={() => void act('start')}>
              Start for this machine
            </Button>
            <Button class="out-button" onClick={() => void act('start', true)}>
              Start for the local network
            </Button>
          </>
        )}
      </p>
      <div role="status">
        <ul class="findings">
          {statusOf(now).map(([level, words]) => (
            <li key={words} data-level={level}>
              <span aria-hidden="true" class="publish-dot" />
              <span>{words}</span>
            </li>
          ))}
        </ul>
      </div>
      {addresses.length > 0 && (
        <ul class="publish-addresses">
          {addresses.map((address) => (
            <li key={address}>
              <a href={`${address}/f/${form}`} target="_blank" rel="noopener">
                {address}/f/{form}
              </a>
            </li>
          ))}
        </ul>
      )}
      {isShared && isRunning && (
        <p class="set-help">Anyone on your local network can open this page, without TLS.</p>
      )}
      {isRunning && (
        <div>
          <h3>What arrived</h3>
          {arrived.length === 0 ? (
            <p class="set-help">No submissions yet. Open the address, and send the form.</p>
          ) : (
            <ol class="publish-lines">
              {arrived.slice(0, 20).map((line) => (
                <Arrival key={line.number} line={line} />
              ))}
            </ol>
          )}
        </div>
      )}
      {lines.length > 0 && (
        <details class="set-others">
          <summary>
            Log <span class="set-count">{lines.length}</span>
          </summary>
          <ol class="publish-lines">
            {lines.toReversed().map(({ number, time, level, event, rest }) => (
              <li key={number} data-level={level}>
                <time dateTime={time}>{clock(time)}</time> <b>{event.replaceAll('_', ' ')}</b>{' '}
                {rest !== '{}' && <code>{rest}</code>}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

type Status = readonly [level: 'ok' | 'warning' | 'failure', words: string];

const notReady =
  'The relay cannot accept submissions: the config does not load, or the store of queued deliveries is unavailable.';

function statusOf({ isRunning, isHealthy, isReady, port, config, lines }: PublishState): readonly Status[] {
  const why = lines.findLast(({ level }) => level === 'error' || level === 'info');
  const ended = `The relay is not running. The log ends with: ${why?.event.replaceAll('_', ' ')}`;
  if (!isRunning) return why ? [['warning', ended]] : [];
  if (port === undefined) return [['warning', 'The relay is starting …']];
  const all: Status[] = [
    isHealthy ? ['ok', 'The relay responds.'] : ['warning', 'The relay does not respond yet.'],
    isReady ? ['ok', 'The relay accepts submissions.'] : ['failure', notReady],
    ['warning', 'The saved file does not load. The relay serves the previous version.'],
  ];
  return config === 'older' ? all : all.slice(0, 2);
}

const clock = (time: string) => new Date(time).toLocaleTimeString();

const Arrival = ({ line: { time, form, outcome, deliveries = [], level } }: { readonly line: LogLine }) => (
  <li data-level={level}>
    <time dateTime={time}>{clock(time)}</time> <b>{form}</b>: {outcome}
    {deliveries.length > 0 && (
      <ul>
        {deliveries.map((one, index) => (
          <li key={index}>
            <code>{one.type}</code> {one.outcome}
            {one.reason && `: ${one.reason}`}
          </li>
        ))}
      </ul>
    )}
  </li>
);
