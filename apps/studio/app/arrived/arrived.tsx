import { Button } from '@form-relay/ui/controls';
import { useEffect } from 'preact/hooks';
import { post } from '../relay.ts';
import { busy, reports } from '../store.ts';
import { followArrivals } from './arrivals.ts';
import { Report } from './report.tsx';
import './arrived.css';
import './sent.css';
import './report.css';

/** The content of the pane. The pane stays in the page while another pane hides it: it announces reports. */
export function Arrived() {
  useEffect(followArrivals, []);
  return (
    <>
      <div class="bar">
        <h2 id="inbox-title">What arrived</h2>
        <Busy />
        {reports.value.length > 0 && <Button onClick={clear}>Clear</Button>}
      </div>
      {reports.value.length > 0 ? (
        <ol class="reports">
          {reports.value.map((one) => (
            <li key={one.number}>
              <Report of={one} />
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

const Empty = () => (
  <div class="empty">
    <p>
      <b>Send the form: what happens to it appears here.</b>
    </p>
    <p>Each check, each request and each mail to go out, byte for byte, and what the visitor was told.</p>
  </div>
);
