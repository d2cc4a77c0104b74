// What Lambda's runtime does in the function's process: load the handler, then fetch, call and answer for ever.
// `lambda_bootstrap.cjs <handler's file> <require | import>`: Lambda's runtimes load it one way or the other.
const [file, way] = process.argv.slice(2);
const { readFileSync } = require('node:fs');
const http = require('node:http');

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;

// Not `fetch`, which would take 15 MB more; and on connections that are none of the relay's.
const ask = (path, options = {}, body = '') =>
  new Promise((resolve, reject) => {
    const request = http.request(api + path, { agent: false, ...options }, async (answer) => {
      resolve({ headers: answer.headers, text: Buffer.concat(await answer.toArray()).toString() });
    });
    request.on('error', reject).end(body);
  });
const post = (path, body, headers = {}) => ask(path, { method: 'POST', headers }, JSON.stringify(body));

async function main() {
  const { handler } = await load();
  for (;;) {
    const next = await ask('/invocation/next');
    const id = next.headers['lambda-runtime-aws-request-id'];
    const deadline = Number(next.headers['lambda-runtime-deadline-ms']);
    const context = { awsRequestId: id, getRemainingTimeInMillis: () => deadline - Date.now() };
    const event = JSON.parse(next.text);
    try {
      const result = await handler(event, context);
      // Whatever runs now will be frozen.
      const left = process.getActiveResourcesInfo();
      await post(`/invocation/${id}/response`, result, { left: left.join(), 'peak-mb': String(peakMb()) });
    } catch (error) {
      await post(`/invocation/${id}/error`, { errorMessage: error.message });
    }
  }
}

/** Not `maxRSS`, which Linux begins with what the process took that started this one. */
const peakMb = () =>
  Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]) / 1024;

async function load() {
  try {
    return await (way === 'import' ? import(file) : require(file));
  } catch (error) {
    await post('/init/error', { errorType: error.name, errorMessage: error.message });
    process.exit(1);
  }
}

void main();
