// An HTTP server on bare sockets that counts the bytes of each body and answers 200. Run by webhook_files.ts.
const { createServer } = require('node:net');

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

const server = createServer((socket) => {
  let left = 0;
  let head = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    if (left === 0) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      left = Number(/content-length: (\d+)/i.exec(head)?.[1]) - (head.length - end - 4);
      head = '';
    } else {
      left -= chunk.length;
    }
    if (left < 0) throw new Error('more came than was announced');
    if (left === 0) socket.write(answer);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
