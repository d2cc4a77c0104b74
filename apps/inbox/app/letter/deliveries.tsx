import type { Delivery, Letter } from '../../src/api.ts';
import { may } from '../about.ts';
import { Button } from '../button.tsx';
import { counted, exactTime, resultWords, took } from '../words.ts';
import { act, isBusy } from './letter_now.ts';

const resultOf = ({ result, waitsForOwner, isAgain }: Delivery) => {
  const words = result === 'kept' && waitsForOwner ? 'Waits for you' : resultWords[result];
  return isAgain ? `${words} again` : words;
};

export const Deliveries = ({ letter: { deliveries, id, form, state } }: { readonly letter: Letter }) =>
  deliveries.length === 0 ? null : (
    <section class="part deliveries">
      <h3 id="deliveries">Deliveries</h3>
      <table aria-labelledby="deliveries">
        <thead>
          <tr>
            <th scope="col">Output</th>
            <th scope="col">Result</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((one, nth) => (
            <tr key={nth}>
              <td>
                <b>{one.type}</b>
                {one.target && one.target !== one.type && <bdi class="target">{one.target}</bdi>}
              </td>
              <td>
                <span class={`tag ${one.result}`}>{resultOf(one)}</span>
                {one.reason && <p class="reason">{one.reason}</p>}
                {one.nextAt !== undefined && (
                  <p class="aside">
                    {one.nextAt > Date.now() ? 'Next try:' : 'Due since'} {exactTime(one.nextAt)}
                  </p>
                )}
                {one.result === 'kept' && state !== 'aside' && may('act', form) && (
                  <Button
                    disabled={isBusy.value}
                    onClick={() => void act(id, { action: 'deliver', output: one.output })}
                  >
                    Deliver now
                  </Button>
                )}
              </td>
              <td>
                {one.result === 'unknown' || one.at === 0 ? '–' : exactTime(one.at)}
                <p class="aside">
                  {[
                    ...(one.ms === undefined ? [] : [`after ${took(one.ms)}`]),
                    ...(one.attempts !== undefined && one.attempts > 1
                      ? [counted(one.attempts, 'attempt')]
                      : []),
                  ].join(', ')}
                </p>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );

export const Story = ({ letter: { story } }: { readonly letter: Letter }) => (
  <section class="part story">
    <h3>Story</h3>
    <ol>
      {story.map(({ at, words }, nth) => (
        <li key={nth}>
          <time dateTime={new Date(at).toISOString()}>{exactTime(at)}</time>
          <span>{words}</span>
        </li>
      ))}
    </ol>
  </section>
);
