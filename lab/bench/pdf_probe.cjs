// Loaded into what pdf.ts looks at (node --require): has V8 give back what it does not need, as it does in a process that rests.
const { Session } = require('node:inspector/promises');

const session = new Session();
session.connect();
process.on('message', async () => {
  for (let turn = 0; turn < 3; turn += 1) await session.post('HeapProfiler.collectGarbage');
  // V8 unmaps in a thread.
  setTimeout(() => process.send(process.memoryUsage()), 500);
});
