// Preloaded into relays whose clock a run pushes on, by so many milliseconds as it says; timers stay as they are.
let aheadMs = Number(process.env.CHAOS_AHEAD_MS ?? 0);
const real = Date.now;
Date.now = () => real() + aheadMs;

process.on('message', (ms) => {
  aheadMs = ms;
});
process.channel.unref();
