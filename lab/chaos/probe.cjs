// Preloaded into the relay by soak.ts: reports memory and delays of the process, after collecting garbage.
const { monitorEventLoopDelay } = require('node:perf_hooks');

const resolution = 10;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();

process.on('message', () => {
  globalThis.gc?.();
  process.send({
    heapMb: process.memoryUsage().heapUsed / 2 ** 20,
    handles: process.getActiveResourcesInfo().length,
    // The histogram includes the time between two samples.
    delayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - resolution),
  });
  delay.reset();
});
process.channel.unref();
