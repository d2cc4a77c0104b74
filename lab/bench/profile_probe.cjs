// Loaded into what profile.ts looks at (node --require): takes V8's profiles between two messages.
const { Session } = require('node:inspector');

const session = new Session();
session.connect();

/** V8 answers at once. */
function call(method, params) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

const steps = {
  'time from here': () => {
    call('Profiler.enable');
    call('Profiler.setSamplingInterval', { interval: 200 });
    call('Profiler.start');
  },
  time: () => call('Profiler.stop').profile,
  'bytes from here': () => {
    // Without these two, V8 forgets what it has collected meanwhile.
    const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
    call('HeapProfiler.startSampling', { samplingInterval: 4_096, ...all });
  },
  bytes: () => call('HeapProfiler.stopSampling').profile,
};

process.on('message', (step) => process.send(steps[step]() ?? {}));
