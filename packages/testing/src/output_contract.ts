import assert from 'node:assert/strict';
import { type Check, type Received, type Trial, type Tried, withRelay, withServer } from './trial.ts';

export interface OutputContract extends Tried {
  readonly type: string;
  /** The output's keys, for a server that listens there on 127.0.0.1. */
  readonly keys: (port: number) => Readonly<Record<string, unknown>>;
  /** What the server got, as text in which values stand as they were sent. Default: the body. */
  readonly read?: (received: Received) => string;
  /** Texts that no log may hold, such as the token in `env`. */
  readonly secrets?: readonly string[];
}

const name = 'Ada-Lovelace-1815';
const email = 'ada@visitor.example';

/** What every output that speaks HTTP promises. */
export function outputContract(asked: OutputContract): readonly Check[] {
  const { type, keys, read = ({ body }) => body, secrets = [] } = asked;
  const formsFor = (port: number, more: object = {}) => ({
    contact: {
      fields: [
        { name: 'name', required: true },
        { name: 'email', type: 'email' },
      ],
      outputs: [{ type, mapping: '*', ...keys(port), ...more }],
    },
  });
  const sending = (
    status: number | 'silent',
    work: (trial: Trial, received: readonly Received[]) => Promise<void>,
    dryRun = false,
  ) =>
    withServer(status, (port, received) =>
      withRelay(asked, formsFor(port), (trial) => work(trial, received), dryRun),
    );
  const tellsNothing = ({ logged }: Trial, text: string) => {
    for (const private_ of [name, email, ...secrets]) {
      assert.ok(!JSON.stringify(logged).includes(private_), `the log holds ${private_}`);
      assert.ok(!text.includes(private_), `the answer holds ${private_}`);
    }
  };
  const fails = async (trial: Trial) => {
    const { status, text } = await trial.submit('contact', { name, email });
    assert.equal(status, 500, 'a visitor whose submission did not arrive reads that');
    assert.ok(JSON.stringify(trial.logged).includes('delivery_failed'), 'the log says why');
    tellsNothing(trial, text);
  };
  return [
    {
      name: `${type} delivers what was submitted`,
      run: () =>
        sending(200, async (trial, received) => {
          const { status, text } = await trial.submit('contact', { name, email });
          assert.equal(status, 200, JSON.stringify(trial.logged));
          assert.equal(received.length, 1);
          const arrived = read(received[0] as Received);
          for (const value of [name, email]) assert.ok(arrived.includes(value), `${value} is in ${arrived}`);
          tellsNothing(trial, text);
        }),
    },
    { name: `${type} fails if the server refuses`, run: () => sending(400, fails) },
    { name: `${type} fails if the server is out of order`, run: () => sending(503, fails) },
    { name: `${type} comes to an end if the server says nothing`, run: () => sending('silent', fails) },
    {
      name: `${type} fails if nobody listens`,
      run: async () => {
        let free = 0;
        await withServer(200, async (port) => {
          free = port;
        });
        await withRelay(asked, formsFor(free), fails);
      },
    },
    {
      name: `${type} does not keep another output from its work`,
      run: () =>
        withServer(503, (port) => {
          const { contact } = formsFor(port, { on_error: 'continue' });
          const both = { ...contact, outputs: [...contact.outputs, { type: 'kept_here', mapping: '*' }] };
          return withRelay(asked, { contact: both }, async (trial) => {
            assert.equal((await trial.submit('contact', { name })).status, 200);
            assert.equal(trial.delivered.length, 1);
          });
        }),
    },
    {
      name: `${type} lets no visitor add a header`,
      run: () =>
        sending(200, async (trial, received) => {
          await trial.submit('contact', { name: `${name}\r\nx-added: 1`, email });
          for (const { headers } of received) assert.equal(headers['x-added'], undefined);
        }),
    },
    {
      name: `${type} sends nothing in a dry run`,
      run: () =>
        sending(
          200,
          async (trial, received) => {
            await trial.submit('contact', { name, email });
            assert.equal(received.length, 0);
          },
          true,
        ),
    },
  ];
}
