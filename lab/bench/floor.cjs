// The least that a relay on this stack can do: raw node:http in, one undici POST out, a small JSON answer.
// It parses, validates and logs nothing. Run by http.ts: node floor.cjs <sink's origin> <dispatch or request> <posts>
const { createServer } = require('node:http');
const { Pool } = require('undici');

const [origin, method, posts] = process.argv.slice(2);
const pool = new Pool(origin, { pipelining: 1 });
const headers = { 'content-type': 'application/x-www-form-urlencoded' };

/** undici's two ways to POST: the bare one, and the one that its manual shows. */
const post = { dispatch, request }[method];

const server = createServer((incoming, outgoing) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    let left = Number(posts);
    for (let i = left; i > 0; i -= 1) {
      post({ method: 'POST', path: '/', headers, body }, (status) => {
        left -= 1;
        if (left === 0) answer(outgoing, status);
      });
    }
  });
});

function dispatch(options, done) {
  let status = 500;
  pool.dispatch(options, {
    onConnect() {},
    onHeaders(answered) {
      status = answered;
      return true;
    },
    onData: () => true,
    onComplete: () => done(status),
    onError: () => done(500),
  });
}

async function request(options, done) {
  const { statusCode, body } = await pool.request(options);
  await body.dump();
  done(statusCode);
}

function answer(outgoing, status) {
  const body = '{"message":"ok"}';
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  outgoing.end(body);
}

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
