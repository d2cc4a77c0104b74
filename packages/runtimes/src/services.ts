import { lazy, once } from '@form-relay/core/base/lazy';
import { readTextFile } from '@form-relay/core/config/text_file';
import type { OpenRuntime } from '@form-relay/core/relay';
import type { Services } from '@form-relay/core/services';
import { awsServices } from './aws_services.ts';
import { writeStderr } from './stderr.ts';
import { createUuids } from './uuids.ts';

/** The services of a process of Node.js. Clients are loaded with their first use, for the sake of cold starts. */
export const openNode: OpenRuntime = ({ now, env }) => {
  const ownHttp = once(async () => (await import('@form-relay/clients/http/http_client')).createHttpClient());
  const http = lazy(ownHttp);
  const smtp = lazy(async () =>
    (await import('@form-relay/clients/smtp/smtp_client')).createSmtpClient({ now }),
  );
  const aws: Services['aws'] = once(async () =>
    (await import('@form-relay/clients/aws/account')).ownAws(env, now, (await ownHttp()).bytes),
  );
  return {
    services: {
      now,
      env,
      uuid: createUuids(),
      repeat,
      http,
      smtp,
      readFile: readTextFile,
      ...awsServices(aws),
    },
    writeLog: writeStderr,
    close: async () => {
      await http.value()?.close();
      smtp.value()?.close();
    },
  };
};

function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
}
