import { useEffect } from 'preact/hooks';
import { Button } from '../button.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { post } from '../relay.ts';
import { busy, stories } from '../store.ts';
import { followArrivals } from './arrivals.ts';
import { Story } from './story.tsx';
import './arrived.css';
import './sent.css';
import './story.css';

/** The content of the pane. It stays in the page while another pane hides it: it announces stories. */
export function Arrived() {
  useEffect(followArrivals, []);
  return (
    <>
      <div class="bar">
        <h2 id="inbox-title">What arrived</h2>
        <Busy />
        {stories.value.length > 0 && <Button onClick={clear}>Clear</Button>}
      </div>
      {stories.value.length > 0 ? (
        <ol class="stories">
          {stories.value.map((one) => (
            <li key={one.number}>
              <Story of={one} />
            </li>
          ))}
        </ol>
      ) : (
        <Empty />
      )}
    </>
  );
}

const clear = () => void post('/studio/clear', {});

const Busy = () => <span class="busy">{busy.value > 0 && `${busy.value} under way …`}</span>;

/** Says what will be shown here. */
const pipeline: readonly (readonly [icon: IconName, title: string, says: string])[] = [
  ['down', 'Received', 'what the visitor sent'],
  ['robot', 'Checks', 'honeypot, min-fill and captcha end what bots send, and say why'],
  ['check', 'Validation', 'every field, and what is wrong with it'],
  ['send', 'Outputs', 'each request and each mail to go out, byte for byte'],
  ['up', 'Answered', 'what the visitor was told'],
];

const Empty = () => (
  <div class="empty">
    <p>
      <b>Send the form: what happens to it appears here.</b>
    </p>
    <ol class="pipeline">
      {pipeline.map(([icon, title, says]) => (
        <li key={title}>
          <span class="dot">
            <Icon name={icon} />
          </span>
          <p>
            <b>{title}</b> {says}
          </p>
        </li>
      ))}
    </ol>
  </div>
);
