import type { MessageView } from '../../src/api.ts';
import { may } from '../about.ts';
import { Button } from '../button.tsx';
import { exactTime } from '../words.ts';
import { act, isBusy } from './message_now.ts';

/** The queued deliveries. */
export const Deliveries = ({ message: { deliveries, id, form } }: { readonly message: MessageView }) =>
  deliveries.length === 0 ? null : (
    <section class="part deliveries">
      <h3 id="deliveries">Kept deliveries</h3>
      <table aria-labelledby="deliveries">
        <thead>
          <tr>
            <th scope="col">Output</th>
            <th scope="col">Next try</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ output, type, target, reason, nextAt, waitsForOwner }) => (
            <tr key={output}>
              <td>
                <b>{type}</b>
                {target && target !== type && <bdi class="target">{target}</bdi>}
              </td>
              <td>
                {waitsForOwner && 'Waits for you'}
                {nextAt !== undefined && `${nextAt > Date.now() ? '' : 'Due since '}${exactTime(nextAt)}`}
                {reason && <p class="reason">{reason}</p>}
                {may('act', form) && (
                  <Button disabled={isBusy.value} onClick={() => void act(id, { action: 'deliver', output })}>
                    Deliver now
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
