/** All that a config can switch on in addition to what the ledger needs, as it would be for an owner who wants all of it. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenLow } from './listener.ts';

/**
 * Gates, doubt that is only observed, receipts, archives, pages, alerts and metrics. Nothing of it may change what
 * a submission of the ledger gets for an answer, or what its sinks get.
 */
export async function everything() {
  const folder = mkdtempSync(join(tmpdir(), 'relay-everything-'));
  mkdirSync(join(folder, 'archive'));
  // The receiver of alerts.
  const listener = http.createServer((incoming, answer) => {
    incoming.resume().on('end', () => answer.end());
  });
  const alertSink = `http://127.0.0.1:${await listenLow(listener)}`;
  const secret = 'a secret that is for this run and no other';
  return {
    top: `
alerts: {outputs: [{type: webhook, url: "${alertSink}/alert"}]}`,
    form: `
    title: Contact
    rate_limit: 1000 per 1h
    origins: ["https://www.example.com"]
    receipt: true
    page: true`,
    spam: ', min_fill_seconds: 0, doubt: observe',
    output: `
      - {type: folder, path: ${folder}/archive, mapping: {id: id}, on_error: continue}`,
    env: {
      FORM_TOKEN_SECRET: secret,
      RECEIPT_SECRET: `another, ${secret}`,
      TRUSTED_PROXIES: '127.0.0.1',
      PUBLIC_URL: 'http://127.0.0.1',
      METRICS_PORT: '0',
    },
    end: () => {
      listener.closeAllConnections();
      listener.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
