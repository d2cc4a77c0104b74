/** What a relay needs that has everything of webform.yaml switched on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSink } from './listener.ts';

export async function everything() {
  const folder = mkdtempSync(join(tmpdir(), 'relay-everything-'));
  const alerts = await startSink(async (_, body) => {
    await body();
    return 200;
  });
  const secret = 'a secret that is for this run and no other';
  return {
    alerts: alerts.port,
    folder,
    env: {
      FORM_TOKEN_SECRET: secret,
      RECEIPT_SECRET: `another, ${secret}`,
      TRUSTED_PROXIES: '127.0.0.1',
      PUBLIC_URL: 'http://127.0.0.1',
      METRICS_PORT: '0',
    },
    end: async () => {
      await alerts.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
