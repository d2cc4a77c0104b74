/** `node --require`: each sync blocks the disk for SYNC_MS milliseconds. */
const { open } = require('node:fs/promises');
const { setTimeout } = require('node:timers/promises');

open(__filename).then(async (file) => {
  const files = Object.getPrototypeOf(file);
  const { sync } = files;
  let before = Promise.resolve();
  files.sync = function () {
    before = before.then(() => setTimeout(Number(process.env.SYNC_MS)));
    return before.then(() => sync.call(this));
  };
  await file.close();
});
