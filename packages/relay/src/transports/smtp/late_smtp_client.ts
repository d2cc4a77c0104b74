import type { SmtpClient } from '../../base/effects.ts';
import type { SmtpClientOptions } from './smtp_client.ts';

/** The SMTP client, which is loaded when it sends its first message: a cold start without mail is 1 ms shorter. */
export function createLateSmtpClient(options: SmtpClientOptions): SmtpClient & { close(): void } {
  let loading: Promise<SmtpClient & { close(): void }> | undefined;
  let loaded: SmtpClient | undefined;
  const load = async () => {
    const client = (await import('./smtp_client.ts')).createSmtpClient(options);
    loaded = client;
    return client;
  };
  const client: SmtpClient = (message) => {
    if (loaded) return loaded(message);
    loading ??= load();
    return loading.then((client) => client(message));
  };
  return Object.assign(client, { close: () => void loading?.then(({ close }) => close()) });
}
