/** Has ClamAV's daemon look at each file before anything is delivered: `clamav: "127.0.0.1:3310"` in a form, or the path of its socket. */
import net from 'node:net';

const timeoutMs = 15_000;
const pieceBytes = 65_536;

export default (kit) => ({
  name: 'clamav',
  messages: {
    en: { file_infected: 'The virus scanner found something in the file {name}. Please do not send it.' },
    de: {
      file_infected: 'In der Datei {name} hat der Virenscanner etwas gefunden. Bitte senden Sie sie nicht.',
    },
  },
  features: [
    kit.feature({
      name: 'clamav',
      keys: {
        form: {
          clamav: kit.key.optional(
            'Where ClamAV’s daemon listens: `host:port`, or the path of its socket.',
            kit.key.text(),
          ),
        },
      },
      configure: ({ form: { clamav: address } }) =>
        address && {
          cards: [{ name: 'clamav', says: `refuses files in which ${address} finds a virus` }],
          afterValidation: kit.guard((submission) => scanFiles(address, submission, kit)),
        },
    }),
  ],
});

/** Nothing is delivered without a verdict: the visitor can do nothing about that, and the owner reads why in the log. */
async function scanFiles(address, submission, kit) {
  if (submission.services.isDryRun === true || submission.files.size === 0) return undefined;
  // The submission counts for `rate_limit`, whatever the scanner says.
  submission.countAlways();
  for (const [field, files] of submission.files)
    for (const [at, { name, bytes }] of files.entries()) {
      let reply;
      try {
        reply = await ask(address, bytes);
      } catch (error) {
        submission.log('error', 'scan_failed', {
          reason: `no verdict of ${address}: ${error.code ?? error.message}`,
        });
        return { ...kit.refused(500, 'undelivered'), by: 'clamav', why: 'scan_failed' };
      }
      if (reply.endsWith(' OK')) continue;
      submission.log('warn', 'virus_found', { field, reply });
      return { ...kit.refused(422, [kit.problem(field, 'file_infected', { name }, at)]), by: 'clamav' };
    }
  return undefined;
}

/** Sends the bytes in pieces, each behind its length (clamd(8), INSTREAM). A file larger than `StreamMaxLength` gets an error. */
function ask(address, bytes) {
  const [, host, port] = /^\[?([^/]*?)\]?:(\d+)$/.exec(address) ?? [];
  const socket = net.connect(host ? { host, port: Number(port) } : { path: address });
  return new Promise((resolve, reject) => {
    let reply = '';
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('data', (piece) => {
      reply += piece;
      if (reply.includes('\0') || reply.length > 4_096) socket.destroy();
    });
    socket.on('close', () => {
      const [line, ...rest] = reply.split('\0');
      if (rest.length > 0 && / (OK|FOUND)$/.test(line)) resolve(line);
      else reject(new Error(/^[\w ,.:()'-]{1,200}$/.test(line) ? line : 'it hung up'));
    });
    socket.write('zINSTREAM\0');
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      const piece = bytes.subarray(from, from + pieceBytes);
      socket.write(lengthOf(piece));
      socket.write(piece);
    }
    socket.write(lengthOf([]));
  });
}

function lengthOf({ length }) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}
