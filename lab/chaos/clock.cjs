// Preloaded into relays: advances their clock by as many milliseconds as a run asks for; timers are not affected.
let aheadMs = Number(process.env.CHAOS_AHEAD_MS ?? 0);
const real = Date.now;
Date.now = () => real() + aheadMs;

process.on('message', (ms) => {
  aheadMs = ms;
});
process.channel.unref();
