import { ClientError } from '@form-relay/base/client_error';
import type { SocketAddress } from '@form-relay/clients/clamd';
import { addressInWords } from '@form-relay/files/socket_address';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import { type Examine, timeoutMs } from './examination.ts';
import { firstOf, formsOf, groupBy } from './outputs.ts';
import { connectionRemedy } from './probes/connection_remedy.ts';
import type { World } from './world.ts';

/** Whether each virus scanner answers, and how old what it knows is. */
export const examineScanners: Examine = (setup, world) => {
  const used = formsOf(setup).flatMap(({ id, provided }) => {
    const scanner = provided.get('scan')?.clamd;
    return scanner ? [{ id, scanner }] : [];
  });
  return Promise.all(
    groupBy(used, ({ scanner }) => addressInWords(scanner)).map((same) =>
      look(same[0].scanner, firstOf(same), world),
    ),
  );
};

async function look(scanner: SocketAddress, forms: string, { askClamd, now }: World): Promise<Diagnosis> {
  const subject = addressInWords(scanner);
  try {
    const pong = await askClamd(scanner, 'PING', timeoutMs);
    if (pong !== 'PONG') {
      return failure(subject, `what answers is not clamd, so ${forms} delivers no files`, remedy.another);
    }
    return age(await askClamd(scanner, 'VERSION', timeoutMs), subject, now());
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}; until this works, ${forms} answers every submission with files with 500`;
    if ('path' in scanner) return failure(subject, says, remedy.socket);
    return failure(subject, says, connectionRemedy(error.code, scanner.host, scanner.port));
  }
}

const remedy = {
  another: 'Check host and port: clamd answers PING with PONG.',
  socket: 'Check that clamd runs, and that the user of the relay may write to its socket.',
  update: 'Check that freshclam runs and reaches its mirrors.',
};

/** `ClamAV 1.0.7/27500/Mon Nov 19 09:24:05 2026`; without signatures, its own version alone. */
function age(version: string, subject: string, now: number): Diagnosis {
  const [program = '', , day] = /^[\w ./:-]{1,200}$/.test(version) ? version.split('/') : [];
  const days = Math.floor((now - Date.parse(`${day} UTC`)) / 86_400_000);
  if (day === undefined || Number.isNaN(days)) {
    return warning(
      subject,
      `${program || 'clamd'} answers, and does not say how old its signatures are`,
      remedy.update,
    );
  }
  const says = `${program} answers; its signatures are of ${day}`;
  return days > 7 ? warning(subject, `${says}, ${days} days ago`, remedy.update) : ok(subject, says);
}
