/** Tests every promise on a product: `npm run promises`, or `PRODUCT=product.mjs npm run promises`. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Adapter } from './adapter.ts';
import { areas } from './areas/index.ts';
import { formRelay } from './form_relay.ts';
import { startSuite } from './suite.ts';

const { PRODUCT } = process.env;
const adapter: Adapter = PRODUCT
  ? (await import(pathToFileURL(resolve(PRODUCT)).href)).default
  : formRelay(resolve('dist/relay.cjs'));

const suite = await startSuite(adapter);
afterAll(suite.stop);
const looks: (() => void)[] = [];

describe.concurrent.each(Object.entries(areas))('%s', (area, { promises }) => {
  for (const [id, promise] of Object.entries(promises))
    test.skipIf(!suite.isOffered(promise))(`${promise.says} (${area}/${id}: ${promise.from})`, async () =>
      looks.push(await suite.try(promise)),
    );
});

test('Nothing was delivered after its promise had been checked.', () => {
  for (const look of looks) look();
});
