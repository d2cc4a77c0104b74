// What Lambda's runtime does in the function's process: load the handler, then fetch, call and answer for ever.
// `lambda_bootstrap.cjs <handler's file> <require | import>`: Lambda's runtimes load it one way or the other.
const [file, way] = process.argv.slice(2);
const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;

// `fetch`, so that the connection to the runtime API is none of the relay's.
const post = (path, body, headers = {}) =>
  fetch(api + path, { method: 'POST', body: JSON.stringify(body), headers });

async function main() {
  const { handler } = await load();
  for (;;) {
    const next = await fetch(`${api}/invocation/next`);
    const id = next.headers.get('lambda-runtime-aws-request-id');
    const deadline = Number(next.headers.get('lambda-runtime-deadline-ms'));
    const context = { awsRequestId: id, getRemainingTimeInMillis: () => deadline - Date.now() };
    const event = await next.json();
    try {
      const result = await handler(event, context);
      // Whatever runs now will be frozen.
      const left = process.getActiveResourcesInfo();
      const peakMb = process.resourceUsage().maxRSS / 1024;
      await post(`/invocation/${id}/response`, result, { left: left.join(), 'peak-mb': String(peakMb) });
    } catch (error) {
      await post(`/invocation/${id}/error`, { errorMessage: error.message });
    }
  }
}

async function load() {
  try {
    return await (way === 'import' ? import(file) : require(file));
  } catch (error) {
    await post('/init/error', { errorType: error.name, errorMessage: error.message });
    process.exit(1);
  }
}

void main();
