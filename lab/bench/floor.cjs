// Receives with node:http, sends with undici as its manual shows, and answers with a little JSON. No parsing,
// validation or logs. Run by http.ts: node floor.cjs <sink's origin> <posts>
const { createServer } = require('node:http');
const { Pool } = require('undici');

const [origin, posts] = process.argv.slice(2);
const pool = new Pool(origin, { pipelining: 1 });
const headers = { 'content-type': 'application/x-www-form-urlencoded' };

const server = createServer((incoming, outgoing) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', async () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const post = async () => {
      const answer = await pool.request({ method: 'POST', path: '/', headers, body });
      await answer.body.dump();
    };
    await Promise.all(Array.from({ length: Number(posts) }, post));
    const text = '{"message":"ok"}';
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
