/** State that plug-ins share between relays, with a plug-in of examples/plugins. */
import { pathToFileURL } from 'node:url';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import type { MakePlugin } from '../../plugin-host/src/kit.ts';
import { featureContract } from '../../testing/src/feature_contract.ts';
import { tryRelay } from '../../testing/src/try_relay.ts';

const { default: plugin }: { default: MakePlugin } = await import(
  pathToFileURL('examples/plugins/daily.mjs').href
);
const form = { fields: [{ name: 'email', type: 'email' }], daily: 'email' };

describe('the example', () => {
  for (const { name, run } of featureContract({
    ...{ name: 'daily', form, plugin, top: () => ({ counted_in: tempFolder() }) },
    passes: [{ email: 'ada@example.org' }, { email: 'grace@example.org' }],
    stops: [],
  }))
    test(name, run);

  test('accepts one of 50 requests that two relays get at once', async () => {
    const top = { counted_in: tempFolder() };
    const relays = await Promise.all(
      [1, 2].map(() => tryRelay({ forms: { contact: form }, plugins: [plugin], top })),
    );
    onTestFinished(async () => void (await Promise.all(relays.map((one) => one.close()))));
    const sent = Array.from({ length: 50 }, (_, nth) =>
      relays[nth % 2]?.submit('contact', { email: 'ada@example.org' }),
    );
    const statuses = (await Promise.all(sent)).map((one) => one?.status);
    expect(statuses.filter((one) => one === 200)).toHaveLength(1);
    expect(statuses.filter((one) => one === 429)).toHaveLength(49);
  });

  test('is told that the config names no store', async () => {
    await expect(tryRelay({ forms: { contact: form }, plugins: [plugin] })).rejects.toThrow(
      'no store for counts is configured',
    );
  });
});
