/** The sinks and variables that a relay needs if it has everything of webform.yaml switched on. */
import { tempFolder } from '../../scripts/temp_folder.ts';
import { startSink } from './listener.ts';

export async function everything() {
  const folder = tempFolder('everything');
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
    end: alerts.close,
  };
}
