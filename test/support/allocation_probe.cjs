// Loaded into the relay by allocation.ts (node --require). Counts the bytes that the relay allocates between two messages.
const { GCProfiler } = require('node:v8');

let collections;
let before;

function allocated() {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

process.on('message', (message) => {
  if (message === 'count') {
    // The second collection waits until the first one's buffers are freed, which another thread does.
    globalThis.gc();
    globalThis.gc();
    collections = new GCProfiler();
    collections.start();
    before = allocated();
    process.send({});
  } else {
    const bytes = allocated() - before;
    process.send({ bytes, collections: collections.stop().statistics.length });
  }
});
// The relay ends when its server does.
process.channel.unref();
