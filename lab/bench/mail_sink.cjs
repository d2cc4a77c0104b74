// An SMTP server that counts the bytes of mails and keeps none. Run by mail_files.ts; prints its port.
const { createServer } = require('node:net');

const endOfMail = Buffer.from('\r\n.\r\n');

createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  let inMail = false;
  let text = '';
  let tail = Buffer.alloc(0);
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk) => {
    if (inMail) {
      // Nobody says anything behind a mail before it is answered.
      tail =
        chunk.length >= endOfMail.length
          ? chunk.subarray(-endOfMail.length)
          : Buffer.concat([tail, chunk]).subarray(-endOfMail.length);
      if (!tail.equals(endOfMail)) return;
      inMail = false;
      socket.write('250 2.0.0 taken\r\n');
      return;
    }
    text += chunk.toString('latin1');
    let replies = '';
    for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
      const verb = text.slice(0, 4);
      text = text.slice(end + 2);
      if (verb === 'DATA') inMail = true;
      if (verb === 'DATA') replies += '354 go\r\n';
      else if (verb === 'EHLO') replies += '250-sink\r\n250-PIPELINING\r\n250 SIZE 52428800\r\n';
      else if (verb === 'QUIT') return socket.end('221 bye\r\n');
      else replies += '250 2.1.0 ok\r\n';
    }
    socket.write(replies);
  });
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port);
});
